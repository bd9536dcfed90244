/**
 * The values that every room uses: names, ids, paths, ranges and read modes. Immutable, validated when made; safe for
 * any thread.
 */
@NullMarked
package io.cloudmw.core.model;

import org.jspecify.annotations.NullMarked;
