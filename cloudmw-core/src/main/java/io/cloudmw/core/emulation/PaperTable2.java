package io.cloudmw.core.emulation;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * S3 as the paper measured it. Table 2 has the transfer rates of twenty downloads of one 1 GB file from S3 to a small
 * EC2 instance, from 9.85 to 20.1 MB/s. Here a store's rate is drawn from those twenty, evenly, and anew every 10 s; in
 * 2% of the draws the store stalls: 1 MB/s. The first byte comes at once: the paper gives no time for it.
 *
 * <p>The rate is the <em>store's</em>: whoever reads from it shares it, and different stores draw independently. (The
 * paper's rates are of one retrieval at a time. S3 would give two retrievals two of them; here more connections to the
 * same store gain nothing, so that what a mode gains, it gains by choosing among stores.)
 *
 * <p>[1] CloudMW §1.1, Table 2. Differs: the paper's twenty rates are averages over 49 to 104 s; holding one for 10 s
 * lets it change within a transfer, and the stalls are added, as the lab's purpose is the tail.
 */
record PaperTable2(long seed) implements StoreLaw {
    static final String NAME = "paper-table2";
    static final Duration REDRAW = Duration.ofSeconds(10);
    static final double STALL_SHARE = 0.02;
    static final long STALL_BYTES_PER_SECOND = 1_000_000;

    /** Table 2, "TR (MB/s)", tests 1 to 20, in bytes per second. */
    private static final long[] BYTES_PER_SECOND = {
        12_300_000, 14_000_000, 10_500_000, 13_300_000, 9_850_000, 12_800_000, 14_800_000, 13_300_000, 10_500_000,
        10_800_000, 12_200_000, 12_000_000, 20_100_000, 18_600_000, 14_600_000, 12_200_000, 16_800_000, 11_400_000,
        11_300_000, 10_000_000
    };

    /** The twenty rates; a copy. */
    static long[] rates() {
        return BYTES_PER_SECOND.clone();
    }

    @Override
    public long bytesPerSecondAt(long sinceStartNanos) {
        SplittableRandom draw = IndexedRandom.at(seed, sinceStartNanos / REDRAW.toNanos());
        if (draw.nextDouble() < STALL_SHARE) {
            return STALL_BYTES_PER_SECOND;
        }
        return BYTES_PER_SECOND[draw.nextInt(BYTES_PER_SECOND.length)];
    }

    @Override
    public boolean shared() {
        return true;
    }

    @Override
    public StoreLaw withSeed(long newSeed) {
        return new PaperTable2(newSeed);
    }
}
