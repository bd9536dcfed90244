package io.cloudmw.core.cost;

import io.cloudmw.core.monitor.ExpectedSpeed;
import java.util.Comparator;
import java.util.List;

/** A read as the row of blocks it is cut into, with what attempts at them would do. Confined to one thread. */
final class SampledBlocks {
    /** More blocks than these are not drawn one by one: the time of these is stretched. */
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

    /** @param longest a block may be: a chunk is cut into such, and a rest */
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

    /** Blocks that are drawn one by one. */
    int drawn() {
        return drawn;
    }

    /** How many times longer the row is than what is drawn of it. */
    double stretch() {
        return (double) count / drawn;
    }

    /** How many times more bytes it has than what is drawn of it. */
    double stretchOfBytes() {
        return bytes / (double) (bytes - startsAt(count - drawn));
    }

    /** Those that are drawn are the last ones. */
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

    /** Equally likely ones, side by side. */
    int runs() {
        return Math.max(MIN_RUNS, Math.min(MAX_RUNS, DRAWS / drawn));
    }

    /** Best first. */
    List<ExpectedSpeed> replicas() {
        return replicas;
    }

    AttemptSamples attempts() {
        return attempts;
    }
}
