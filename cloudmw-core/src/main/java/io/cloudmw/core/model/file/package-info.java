/**
 * Value records about files: versions, attributes, edits, renames, snapshots. Immutable, validated when made; safe for
 * any thread.
 */
@NullMarked
package io.cloudmw.core.model.file;

import org.jspecify.annotations.NullMarked;
