package io.cloudmw.core.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.VersionId;
import java.util.BitSet;

/**
 * A Bloom filter of version ids, whose memory does not grow with their number. It never misses an id that was added, and
 * takes few others for added ones. The four hashes are parts of the id that are random. Safe for any thread.
 */
public final class VersionFilter {
    /** Starts of hexadecimal digits that {@link VersionId#random} draws: digits 12 and 16 are not random. */
    private static final int[] STARTS = {0, 5, 17, 25};

    private static final int DIGITS = 7;
    private static final int DIGIT_BITS = 4;

    private final int shift;

    @GuardedBy("this")
    private final BitSet set = new BitSet();

    /**
     * Makes an empty filter.
     *
     * @param indexBits the filter has 2<sup>indexBits</sup> bits; 1 to 28. With 24 it takes 2 MiB, and one other id in
     *     500 for added after a million; with 26 it takes 8 MiB, and one in a hundred after six million
     */
    public VersionFilter(int indexBits) {
        if (indexBits < 1 || indexBits > DIGITS * DIGIT_BITS) {
            throw new IllegalArgumentException(
                    "indexBits: " + indexBits + " (expected: 1.." + DIGITS * DIGIT_BITS + ")");
        }
        this.shift = DIGITS * DIGIT_BITS - indexBits;
    }

    public synchronized void add(VersionId version) {
        for (int start : STARTS) {
            set.set(bit(version, start));
        }
    }

    /** Returns whether the version may have been added; false: it certainly was not. */
    public synchronized boolean mayContain(VersionId version) {
        for (int start : STARTS) {
            if (!set.get(bit(version, start))) {
                return false;
            }
        }
        return true;
    }

    public synchronized void clear() {
        set.clear();
    }

    private int bit(VersionId version, int start) {
        return Integer.parseInt(version.value(), start, start + DIGITS, 16) >>> shift;
    }
}
