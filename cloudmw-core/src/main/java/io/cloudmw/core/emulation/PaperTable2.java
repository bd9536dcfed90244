package io.cloudmw.core.emulation;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * The law of S3 as the paper measured it. Table 2 has the transfer rates of twenty downloads of one 1 GB file from S3
 * to a small EC2 instance, from 9.85 to 20.1 MB/s. Here a store's rate is drawn evenly from those twenty, anew every
 * 10 s. In 2% of the draws the store stalls at 1 MB/s. The first byte comes at once: the paper gives no time for it.
 *
 * <p>The rate is the <em>store's</em>: all its readers share it, and stores draw independently. The paper's rates are
 * of one retrieval at a time, and S3 would give two retrievals twice the rate. Here more connections to one store gain
 * nothing, so that a mode gains only by choosing among stores.
 *
 * <p>[1] CloudMW §1.1, Table 2. Differs: the paper's rates are averages over 49 to 104 s; a rate held for 10 s can
 * change within a transfer. The stalls are added, as the lab studies the tail.
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

    /** A copy of the twenty rates. */
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
