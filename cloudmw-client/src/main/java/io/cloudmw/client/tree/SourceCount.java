package io.cloudmw.client.tree;

import io.cloudmw.core.thread.Threads;
import java.io.IOException;
import java.util.concurrent.ExecutorService;

/**
 * Counts the files of a directory ahead of what is done with them, on a thread of its own. What cannot be counted is left out:
 * it is said where it is to be copied. Safe for any thread.
 */
final class SourceCount {
    /** Goes through all files. */
    @FunctionalInterface
    interface Walk {
        void run() throws IOException, InterruptedException;
    }

    private final TreeCounters ledger;
    private final ExecutorService thread = Threads.unbounded("client-tree-count", 1);
    private volatile boolean ended;

    SourceCount(TreeCounters ledger) {
        this.ledger = ledger;
    }

    void start(Walk walk) {
        thread.execute(() -> {
            try {
                walk.run();
                if (!ended) {
                    ledger.counted();
                }
            } catch (IOException | RuntimeException e) {
                // The total stays a lower bound.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    void add(long bytes) {
        ledger.counted(bytes);
    }

    boolean isEnded() {
        return ended;
    }

    /** Counts no further. Idempotent. */
    void end() {
        ended = true;
        thread.shutdownNow();
    }
}
