/**
 * The content of the coordinator's web page: snapshots of the cluster, and recorded reads with their attempts. Values
 * that become JSON as they are. Safe for any thread; calls may block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.page;

import org.jspecify.annotations.NullMarked;
