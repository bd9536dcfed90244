/**
 * Watches of changes to names: one reader of the change log for each watched volume, and one position for each watcher.
 * The feed owns its threads, and calls a sink from one of them at a time.
 */
@NullMarked
package io.cloudmw.coordinator.watch;

import org.jspecify.annotations.NullMarked;
