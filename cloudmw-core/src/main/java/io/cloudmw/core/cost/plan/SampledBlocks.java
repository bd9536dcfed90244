package io.cloudmw.core.cost.plan;

import io.cloudmw.core.status.fleet.ExpectedSpeed;
import java.util.Comparator;
import java.util.List;

/** The blocks of a read, in their order, with the sampled speeds of attempts at them. Confined to one thread. */
final class SampledBlocks {
    /** The most blocks that are sampled one by one; the time of a longer read is stretched. */
    private static final int MAX_DRAWN = 64;

    private static final int DRAWS = 8192;
    private static final int MIN_RUNS = 128;
    private static final int MAX_RUNS = 2048;

    private final long count;
    private final int drawn;
    private final long bytes;
    private final long chunkBytes;
    private final long blockBytes;
    private final long ofChunk;
    private final List<ExpectedSpeed> replicas;
    private final AttemptSamples attempts;

    /**
     * @param longest the longest block: a chunk is cut into such blocks and a rest
     */
    SampledBlocks(ReadShape shape, long longest) {
        bytes = shape.bytes();
        chunkBytes = shape.chunkBytes();
        blockBytes = longest;
        ofChunk = blocks(chunkBytes);
        count = Math.max(1, bytes / chunkBytes * ofChunk + blocks(bytes % chunkBytes));
        drawn = (int) Math.min(count, MAX_DRAWN);
        replicas = shape.replicas().stream()
                .sorted(Comparator.comparingLong(speed -> speed.expectedNanos(blockBytes)))
                .toList();
        attempts = new AttemptSamples(replicas, runs(), 1);
    }

    long count() {
        return count;
    }

    /** The number of sampled blocks. */
    int drawn() {
        return drawn;
    }

    /** The number of blocks divided by that of sampled blocks. */
    double stretch() {
        return (double) count / drawn;
    }

    /** The number of bytes divided by that of the sampled blocks. */
    double stretchOfBytes() {
        return bytes / (double) (bytes - startsAt(count - drawn));
    }

    /** The bytes of a sampled block; the sampled blocks are the last ones. */
    double bytes(int block) {
        long number = count - drawn + block;
        return (double) (startsAt(number + 1) - startsAt(number));
    }

    private long blocks(long length) {
        return (length + blockBytes - 1) / blockBytes;
    }

    private long startsAt(long block) {
        long inChunk = Math.min(chunkBytes, block % ofChunk * blockBytes);
        return Math.min(bytes, block / ofChunk * chunkBytes + inChunk);
    }

    /** The number of equally likely runs. */
    int runs() {
        return Math.max(MIN_RUNS, Math.min(MAX_RUNS, DRAWS / drawn));
    }

    /** The expected speeds of the replicas, best first. */
    List<ExpectedSpeed> replicas() {
        return replicas;
    }

    AttemptSamples attempts() {
        return attempts;
    }
}
