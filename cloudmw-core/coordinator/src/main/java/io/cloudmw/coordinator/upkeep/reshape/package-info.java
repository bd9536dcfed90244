/**
 * Changes of volumes that move copies: plans the new volume, follows the copies until they match it, and releases
 * stores that volumes leave. Immutable or confined to one thread, as each class says.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.reshape;

import org.jspecify.annotations.NullMarked;
