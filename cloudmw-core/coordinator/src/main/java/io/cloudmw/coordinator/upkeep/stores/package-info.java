/**
 * The stores as upkeep sees them: which are available, absent, lost or being drained. Each class names its thread
 * rule; calls block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.stores;

import org.jspecify.annotations.NullMarked;
