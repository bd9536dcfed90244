/**
 * Orders of rounds of upkeep by clients. Records are immutable; {@link io.cloudmw.coordinator.upkeep.order.RoundOrders} is guarded by
 * its owner.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.order;

import org.jspecify.annotations.NullMarked;
