package io.cloudmw.client.tree;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.VersionId;
import java.util.BitSet;

/**
 * Versions that were seen, in two megabytes however many there are: a Bloom filter. One that was seen is always known; one that was not is
 * taken for one that was once in 500 times after a million, and more and more often after many more. Safe for any thread.
 */
final class VersionFilter {
    /** Of a version's id, where digits begin that are random in those of {@link VersionId#random}. */
    private static final int[] PLACES = {0, 6, 20, 26};

    /** Name a bit. */
    private static final int DIGITS = 6;

    @GuardedBy("this")
    private final BitSet bits = new BitSet();

    synchronized void add(VersionId version) {
        for (int place : PLACES) {
            bits.set(bit(version, place));
        }
    }

    synchronized boolean contains(VersionId version) {
        for (int place : PLACES) {
            if (!bits.get(bit(version, place))) {
                return false;
            }
        }
        return true;
    }

    private static int bit(VersionId version, int place) {
        return Integer.parseInt(version.value(), place, place + DIGITS, 16);
    }
}
