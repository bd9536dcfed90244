/**
 * Keeps what is stored as it ought to be. The coordinator decides and remembers; helpers take tasks from its queue and
 * report how they went ({@code docs/adr/0013}). Decisions are pure; state is behind the queue's lock or confined to the
 * thread that ticks; calls of the catalog block.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep;

import org.jspecify.annotations.NullMarked;
