/**
 * The measured speed of stores, as each reading process sees it: time to first byte, throughput and errors by store
 * and size of the read. Old samples lose weight. {@link SpeedMonitor} is safe for any thread and never blocks for
 * long; speeds are immutable. Time is passed in by a {@link io.cloudmw.core.time.Ticker}.
 */
@NullMarked
package io.cloudmw.core.monitor;

import org.jspecify.annotations.NullMarked;
