/**
 * The intervals, rates and limits of upkeep, and the clock that measures how long upkeep has run. Options are
 * immutable; the clock belongs to the ticking thread unless a method says otherwise.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.schedule;

import org.jspecify.annotations.NullMarked;
