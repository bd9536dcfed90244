/**
 * Scrubbing: every good copy is read and verified, round after round, at a limited rate. Confined to the ticking
 * thread unless a method says otherwise.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.scrub;

import org.jspecify.annotations.NullMarked;
