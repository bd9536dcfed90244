/**
 * Runs over whole directories: copies in either direction, removals, warm-ups and comparisons, several files at once.
 * Calls block; memory does not depend on the number of files.
 */
@NullMarked
package io.cloudmw.client.tree;

import org.jspecify.annotations.NullMarked;
