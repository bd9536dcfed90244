/**
 * Leases with epochs for background jobs, each of which one of several coordinators does. Safe for any thread; calls
 * block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.lease;

import org.jspecify.annotations.NullMarked;
