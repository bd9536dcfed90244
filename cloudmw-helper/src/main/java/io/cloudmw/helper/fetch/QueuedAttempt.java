package io.cloudmw.helper.fetch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduledWork;
import io.cloudmw.helper.block.WantedBlock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An attempt that waits for its turn, and needs no thread after it. Safe for any thread. */
final class QueuedAttempt implements FairPool.Task, BlockAttempt {
    private final StoreFetcher fetcher;
    private final WantedBlock block;
    private final Listener listener;
    private final Supplier<BlockAttempt> begin;

    /** The attempt's place in the queue; null for a moment, until it is queued. */
    private volatile @Nullable ScheduledWork<FairPool.Task> turn;

    @GuardedBy("this")
    private @Nullable BlockAttempt begun;

    @GuardedBy("this")
    private boolean cancelled;

    @GuardedBy("this")
    private long wantedBytes;

    QueuedAttempt(StoreFetcher fetcher, WantedBlock block, Listener listener, Supplier<BlockAttempt> begin) {
        this.fetcher = fetcher;
        this.block = block;
        this.listener = listener;
        this.begin = begin;
        this.wantedBytes = block.length();
    }

    /** Notes the attempt's place in the queue. */
    void queued(ScheduledWork<FairPool.Task> place) {
        turn = place;
    }

    private boolean unqueue() {
        ScheduledWork<FairPool.Task> place = turn;
        return place != null && fetcher.unqueue(block, place);
    }

    /** Returns the length wanted, because the bytes that will come are not known yet. */
    @Override
    public long run() {
        BlockAttempt running;
        try {
            if (isCancelled() || !listener.turnCame()) {
                listener.cancelled(0);
                return 0;
            }
            running = begin.get();
        } catch (RuntimeException | Error e) {
            listener.failed(CloudMwException.ofDefect(block.toString(), e), 0);
            return 0;
        }
        boolean late;
        long wanted;
        synchronized (this) {
            begun = running;
            late = cancelled;
            wanted = wantedBytes;
        }
        if (late) {
            running.cancel();
        } else if (wanted < block.length()) {
            running.shorten(wanted);
        }
        return wanted;
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void cancel() {
        BlockAttempt running;
        synchronized (this) {
            if (cancelled) {
                return;
            }
            cancelled = true;
            running = begun;
        }
        if (running != null) {
            running.cancel();
        } else if (unqueue()) {
            listener.cancelled(0);
        }
    }

    @Override
    public void shorten(long bytes) {
        BlockAttempt running;
        synchronized (this) {
            wantedBytes = Math.min(wantedBytes, bytes);
            running = begun;
        }
        if (running != null) {
            running.shorten(bytes);
        }
    }

    @Override
    public boolean expire(CloudMwException cause) {
        boolean waits = unqueue();
        if (waits) {
            listener.failed(cause, 0);
        }
        return waits;
    }

    @Override
    public long bytesRead() {
        BlockAttempt running;
        synchronized (this) {
            running = begun;
        }
        return running == null ? 0 : running.bytesRead();
    }
}
