/**
 * Distributions and counts in little space, whose old samples lose weight. Sketches are immutable; live counters are
 * confined to their owner's lock.
 */
@NullMarked
package io.cloudmw.core.monitor.sketch;

import org.jspecify.annotations.NullMarked;
