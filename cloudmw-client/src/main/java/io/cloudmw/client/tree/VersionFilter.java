package io.cloudmw.client.tree;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.VersionId;
import java.util.BitSet;

/**
 * A Bloom filter of version ids, in two megabytes. It knows every version that was added. After a million versions it
 * mistakes one other in 500 for an added one, and more after many more. Safe for any thread.
 */
final class VersionFilter {
    /** The places in a version's id where digits begin that are random in ids of {@link VersionId#random}. */
    private static final int[] PLACES = {0, 6, 20, 26};

    /** Digits that select a bit. */
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
