/**
 * Snapshots of the names in a volume, and the replication state of a file. Safe for any thread; calls block on the
 * catalog.
 */
@NullMarked
package io.cloudmw.coordinator.names;

import org.jspecify.annotations.NullMarked;
