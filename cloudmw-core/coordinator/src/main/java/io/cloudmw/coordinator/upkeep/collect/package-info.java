/**
 * Garbage collection: lists the copies in stores, decides which ones no version references, marks them, and orders
 * their deletion after a grace time. Each class names its thread rule; calls block on the catalog.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.collect;

import org.jspecify.annotations.NullMarked;
