package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.rpc.coordinator.SmallFileCalls;

/**
 * A limit on the files of one call that are looked up, or are being read. The others wait for their turn, in portions
 * of one look-up. Safe for any thread.
 */
final class GetWindow {
    /** The most files that are looked up or being read. */
    static final int MAX_BEGUN = 4 * SmallFileCalls.MAX_FILES;

    /** Begins to get some of the files. */
    @FunctionalInterface
    interface Begin {
        /** Begins a portion; each of its files ends later, or has ended when this returns. */
        void accept(int from, int end);
    }

    private final int files;
    private final Begin begin;

    @GuardedBy("this")
    private int next;

    @GuardedBy("this")
    private int ended;

    /** Whether a thread begins portions. */
    @GuardedBy("this")
    private boolean beginning;

    /** @param files the number of the call's files */
    GetWindow(int files, Begin begin) {
        this.files = files;
        this.begin = begin;
    }

    /** The get of one file is over. */
    void end() {
        synchronized (this) {
            ended++;
        }
        beginMore();
    }

    /** Begins what there is room for; in a loop, as the files of a portion may end at once. */
    void beginMore() {
        synchronized (this) {
            if (beginning) {
                return;
            }
            beginning = true;
        }
        for (int from = next(); from < files; from = next()) {
            begin.accept(from, end(from));
        }
    }

    private int end(int from) {
        return Math.min(files, from + SmallFileCalls.MAX_FILES);
    }

    /** Returns the first file of the next portion; the number of files when none begins now. */
    private synchronized int next() {
        int from = next;
        if (from == files || end(from) - ended > MAX_BEGUN) {
            beginning = false;
            return files;
        }
        next = end(from);
        return from;
    }
}
