package io.cloudmw.client.tree;

import io.cloudmw.core.thread.Threads;
import java.io.IOException;
import java.util.concurrent.ExecutorService;

/**
 * A count of the source's files that runs ahead of the copy, on a thread of its own. It skips what it cannot read; the
 * copy reports that. Safe for any thread.
 */
final class SourceCount {
    /** Visits all files. */
    @FunctionalInterface
    interface Walk {
        void run() throws IOException, InterruptedException;
    }

    private final TreeCounters counters;
    private final ExecutorService thread = Threads.unbounded("client-tree-count", 1);
    private volatile boolean ended;

    SourceCount(TreeCounters counters) {
        this.counters = counters;
    }

    void start(Walk walk) {
        thread.execute(() -> {
            try {
                walk.run();
                if (!ended) {
                    counters.counted();
                }
            } catch (IOException | RuntimeException e) {
                // The total stays a lower bound.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    void add(long bytes) {
        counters.counted(bytes);
    }

    boolean isEnded() {
        return ended;
    }

    /** Ends the count. Idempotent. */
    void end() {
        ended = true;
        thread.shutdownNow();
    }
}
