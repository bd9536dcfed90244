/**
 * Laws of slow, uneven or stalled stores, drawn from a seed, and the pace they set, for demonstrations and for the
 * tail lab. No I/O, no threads, no clock: {@link io.cloudmw.core.store.ThrottledChunkStore} and the lab's proxy ask
 * when bytes arrive, and wait. Laws are immutable; {@link io.cloudmw.core.emulation.StorePace} is safe for any thread,
 * {@link io.cloudmw.core.emulation.ResponsePace} belongs to one response.
 */
@NullMarked
package io.cloudmw.core.emulation;

import org.jspecify.annotations.NullMarked;
