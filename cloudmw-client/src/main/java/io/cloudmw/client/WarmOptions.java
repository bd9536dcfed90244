package io.cloudmw.client;

import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.Location;
import java.util.Optional;

/**
 * The options of a warm-up. Immutable.
 *
 * @param version the version to warm; empty: the current one
 * @param to the place whose switches are warmed; {@link Location#NONE}: all switches of the volume
 * @param fetch whether switches fetch missing bytes
 * @param look whether the client checks at the end how much the switches have cached
 * @param runBytes bytes of all files that are warmed together. A switch whose cache is smaller is given no blocks. 0:
 *     the bytes of this file
 * @param listener the listener for the progress
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

    /**
     * Warms the current version at all switches: fetches missing bytes, and then checks how much the switches have
     * cached.
     */
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
