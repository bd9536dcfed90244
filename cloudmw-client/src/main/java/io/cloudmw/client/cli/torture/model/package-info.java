/**
 * What a cluster may answer, given what it was asked and when: an in-memory model that knows uncertainty. No I/O, no clock:
 * times are handed in, nanoseconds of one {@link io.cloudmw.core.time.Ticker}. {@link
 * io.cloudmw.client.cli.torture.model.Model} is safe for any thread, everything else is its own.
 */
@NullMarked
package io.cloudmw.client.cli.torture.model;

import org.jspecify.annotations.NullMarked;
