/**
 * The values every room talks about: volumes, files, chunks, stores, helpers. Immutable, validated when made; safe for any thread.
 */
@NullMarked
package io.cloudmw.core.model;

import org.jspecify.annotations.NullMarked;
