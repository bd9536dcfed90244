/**
 * Which copies a helper can make: those of which it can use both the target and a source. Values and pure rules, each confined to
 * the thread of its owner.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.copy;

import org.jspecify.annotations.NullMarked;
