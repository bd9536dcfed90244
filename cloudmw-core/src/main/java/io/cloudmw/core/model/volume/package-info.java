/**
 * Value records about volumes: replication, chunking, read targets and changes. Immutable, validated when made; safe
 * for any thread.
 */
@NullMarked
package io.cloudmw.core.model.volume;

import org.jspecify.annotations.NullMarked;
