package io.cloudmw.client;

import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.Location;
import java.util.Optional;

/**
 * The options of a warm-up. Immutable.
 *
 * @param version which version; empty: the current one
 * @param to the switches in this place; {@link Location#NONE}: all of the volume
 * @param fetch whether what is missing is fetched
 * @param look whether is looked, at the end, how much is kept
 * @param runBytes that switches are to keep of this and other files that are warmed together: who cannot keep so much is
 *     given nothing; 0: this file's
 * @param listener told how it goes
 */
public record WarmOptions(
        Optional<VersionId> version, Location to, boolean fetch, boolean look, long runBytes, WarmListener listener) {
    private static final WarmOptions DEFAULTS =
            new WarmOptions(Optional.empty(), Location.NONE, true, true, 0, WarmListener.NONE);

    public WarmOptions {
        if (!fetch && !look) {
            throw new IllegalArgumentException("fetch and look: neither (expected: one of them, or both)");
        }
        if (runBytes < 0) {
            throw new IllegalArgumentException("runBytes: " + runBytes + " (expected: >= 0)");
        }
    }

    /** The current version, at all switches; what is missing is fetched, and then looked what is kept. */
    public static WarmOptions defaults() {
        return DEFAULTS;
    }

    /** Warms this version instead of the current one. */
    public WarmOptions withVersion(VersionId id) {
        return new WarmOptions(Optional.of(id), to, fetch, look, runBytes, listener);
    }

    /** Warms only the switches in this location. */
    public WarmOptions withTo(Location place) {
        return new WarmOptions(version, place, fetch, look, runBytes, listener);
    }

    /** Only says how much is kept, and fetches nothing. */
    public WarmOptions onlyLooking() {
        return new WarmOptions(version, to, false, true, runBytes, listener);
    }

    /** Fetches what is missing, as one of several files of so many bytes together, and leaves the look to another time. */
    public WarmOptions asPartOf(long allBytes) {
        return new WarmOptions(version, to, true, false, allBytes, listener);
    }

    /** Sets the listener for the progress of the warm-up. */
    public WarmOptions withListener(WarmListener told) {
        return new WarmOptions(version, to, fetch, look, runBytes, told);
    }
}
