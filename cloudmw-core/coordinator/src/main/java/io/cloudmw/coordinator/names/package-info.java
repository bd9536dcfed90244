/**
 * Files as snapshots of a volume show them, and what the coordinator says of one file. Safe for any thread; calls
 * block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.names;

import org.jspecify.annotations.NullMarked;
