package io.cloudmw.core.cost;

import io.cloudmw.core.monitor.ExpectedSpeed;
import java.util.Comparator;
import java.util.List;

/** A read as the row of blocks it is cut into, with what attempts at them would do. Confined to one thread. */
final class BlockRow {
    /** More blocks than these are not drawn one by one: the time of these is stretched. */
    private static final int MAX_DRAWN = 64;

    private static final int DRAWS = 8192;
    private static final int MIN_RUNS = 128;
    private static final int MAX_RUNS = 2048;

    private final long count;
    private final int drawn;
    private final long blockBytes;
    private final long lastBytes;
    private final List<ExpectedSpeed> replicas;
    private final Attempts attempts;

    /** @param longest a block may be: a chunk is cut into as few as that allows, all of one length here */
    BlockRow(ReadShape shape, long longest) {
        long ofChunk = (shape.chunkBytes() + longest - 1) / longest;
        blockBytes = (shape.chunkBytes() + ofChunk - 1) / ofChunk;
        count = Math.max(1, (shape.bytes() + blockBytes - 1) / blockBytes);
        drawn = (int) Math.min(count, MAX_DRAWN);
        lastBytes = count > drawn ? blockBytes : shape.bytes() - (count - 1) * blockBytes;
        replicas = shape.replicas().stream()
                .sorted(Comparator.comparingLong(speed -> speed.expectedNanos(blockBytes)))
                .toList();
        attempts = new Attempts(replicas, runs(), 1);
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

    double bytes(int block) {
        return (double) (block == drawn - 1 ? lastBytes : blockBytes);
    }

    /** Equally likely ones, side by side. */
    int runs() {
        return Math.max(MIN_RUNS, Math.min(MAX_RUNS, DRAWS / drawn));
    }

    /** Best first. */
    List<ExpectedSpeed> replicas() {
        return replicas;
    }

    Attempts attempts() {
        return attempts;
    }
}
