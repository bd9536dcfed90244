/**
 * How volumes change: what a change makes of a volume, and how far what it requires has come. Immutable or confined to one
 * thread, as each class says.
 */
@NullMarked
package io.cloudmw.coordinator.reshape;

import org.jspecify.annotations.NullMarked;
