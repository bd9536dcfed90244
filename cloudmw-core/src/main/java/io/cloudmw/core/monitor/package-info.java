/**
 * How fast stores are, as seen by each process that reads them: time to first byte, throughput and errors by store and
 * size of the read, aged so that the past counts ever less. {@link SpeedMonitor} is safe for any thread and never blocks
 * for long; sketches and speeds are immutable. Time is passed in by a {@link io.cloudmw.core.time.Ticker}.
 */
@NullMarked
package io.cloudmw.core.monitor;

import org.jspecify.annotations.NullMarked;
