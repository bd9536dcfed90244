/**
 * Orders of rounds of upkeep by clients. Records are immutable; {@link io.cloudmw.core.upkeep.order.RoundOrders} is guarded by
 * its owner.
 */
@NullMarked
package io.cloudmw.core.upkeep.order;

import org.jspecify.annotations.NullMarked;
