/**
 * The registered helpers: their leases, the stores they can use, and the exchange between coordinators that share a
 * catalog. Safe for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.fleet;

import org.jspecify.annotations.NullMarked;
