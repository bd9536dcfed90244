/**
 * Whole directories, either way: what differs is copied, several files at once, and what the other side has not may be
 * deleted; and what removes them. Calls block; memory does not depend on how many files there are.
 */
@NullMarked
package io.cloudmw.client.tree;

import org.jspecify.annotations.NullMarked;
