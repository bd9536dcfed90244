package io.cloudmw.client.pack;

import io.cloudmw.core.model.volume.Volume;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A volume as the coordinator described it. Immutable.
 *
 * @param coordinatorMillis the coordinator's time then; empty: its release does not tell
 * @param atNanos when the answer came, by the client's ticker
 */
record KnownVolume(Volume volume, OptionalLong coordinatorMillis, long atNanos) {
    /** The coordinator's time at a time of the client's ticker, or a little less, since the answer took a while. */
    OptionalLong coordinatorMillis(long nanos) {
        return coordinatorMillis.isEmpty()
                ? coordinatorMillis
                : OptionalLong.of(coordinatorMillis.getAsLong() + TimeUnit.NANOSECONDS.toMillis(nanos - atNanos));
    }
}
