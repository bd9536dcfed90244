/**
 * Recovery from replaced disks and buckets: finds the copies that a store lost and records them as missing, so that
 * repair makes them again. Confined to the ticking thread.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.replace;

import org.jspecify.annotations.NullMarked;
