/**
 * Repair of lost, corrupt and missing replicas: finds chunks with too few good copies, plans new copies and queues the
 * copy tasks. Plans are pure; passes belong to the ticking thread.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.repair;

import org.jspecify.annotations.NullMarked;
