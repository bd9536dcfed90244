/**
 * Tells who watches a volume what happens to its names: one reader of the catalog's change log for each watched volume, and
 * for each watcher no more than a position. Threads are the feed's own; sinks are called by one at a time.
 */
@NullMarked
package io.cloudmw.coordinator.watch;

import org.jspecify.annotations.NullMarked;
