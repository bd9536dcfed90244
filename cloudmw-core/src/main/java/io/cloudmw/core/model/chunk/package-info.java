/**
 * Value records about chunks and their replicas. Immutable, validated when made; safe for any thread.
 */
@NullMarked
package io.cloudmw.core.model.chunk;

import org.jspecify.annotations.NullMarked;
