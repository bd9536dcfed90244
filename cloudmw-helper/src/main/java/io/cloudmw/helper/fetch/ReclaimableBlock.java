package io.cloudmw.helper.fetch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.WantedBlock;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A block for one reader whose bytes may be reclaimed once all are here. They are fetched again when the reader takes
 * more, since chunks never change. The reader hears of the second fetch as progress, and of its failure with the next
 * leaf.
 */
final class ReclaimableBlock extends FetchedBlock {
    /** Fetches the block, or a part of it. */
    @FunctionalInterface
    interface Source {
        BlockAttempt start(WantedBlock some, BlockAttempt.Listener listener) throws CloudMwException;
    }

    private final Reclaimer reclaimer;
    private final Reclaimer.Reader reader;
    private final BlockAttempt.Listener listener;
    private final Source source;
    private volatile long takenNanos;

    /** The bytes, or the last of them; null when they were reclaimed, or none has arrived yet. */
    @GuardedBy("this")
    private @Nullable FetchedBlock bytes;

    /** Index in the block of the first leaf of {@link #bytes}. */
    @GuardedBy("this")
    private int first;

    /** Leaves that are being sent. */
    @GuardedBy("this")
    private int sending;

    /** The bytes were reclaimed and are being fetched again. */
    @GuardedBy("this")
    private boolean coming;

    @GuardedBy("this")
    private @Nullable BlockAttempt again;

    @GuardedBy("this")
    private @Nullable CloudMwException failure;

    @GuardedBy("this")
    private boolean freed;

    /** @param reader the reader, which leaves when this block is freed */
    ReclaimableBlock(
            Reclaimer reclaimer,
            Reclaimer.Reader reader,
            WantedBlock block,
            BlockAttempt.Listener listener,
            Source source) {
        super(block);
        this.reclaimer = reclaimer;
        this.reader = reader;
        this.listener = listener;
        this.source = source;
        this.takenNanos = reclaimer.nanos();
    }

    /** Fetches the block for the first time. */
    BlockAttempt start() throws CloudMwException {
        boolean started = false;
        try {
            BlockAttempt attempt = source.start(block(), new First());
            started = true;
            return attempt;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    Reclaimer.Reader reader() {
        return reader;
    }

    /** The time when a leaf was last taken or sent, or the last one arrived. */
    long takenNanos() {
        return takenNanos;
    }

    @Override
    public synchronized long holds(ByteBudget budget) {
        FetchedBlock here = bytes;
        return here == null ? 0 : here.holds(budget);
    }

    /**
     * Reclaims the bytes, unless a leaf is being sent.
     *
     * @param budget the budget that needs room
     * @param before the reader must not have taken a leaf since this time
     * @return bytes of the budget that the block held, perhaps together with others
     */
    long reclaim(ByteBudget budget, long before) {
        FetchedBlock given;
        synchronized (this) {
            given = bytes;
            boolean taken = sending > 0 || reader.takenNanos() - before > 0;
            if (given == null || taken || !reclaimer.remove(this)) {
                return 0;
            }
            bytes = null;
        }
        long held = given.holds(budget);
        given.close();
        return held;
    }

    @Override
    protected @Nullable CompletableFuture<Void> sendHeld(BulkStream stream, int leaf) {
        FetchedBlock from;
        int index;
        synchronized (this) {
            touch();
            if (failure != null) {
                return CompletableFuture.failedFuture(failure);
            }
            from = bytes;
            index = leaf - first;
            if (index < 0) {
                return CompletableFuture.failedFuture(new IllegalStateException("leaf " + leaf + " was sent before"));
            }
            if (from == null && !coming) {
                coming = true;
                first = leaf;
            } else if (from == null || !from.has(index) || !from.retain()) {
                return null;
            } else {
                sending++;
            }
        }
        return from == null ? fetchFrom(leaf) : sent(from.sendAndRelease(stream, index));
    }

    private @Nullable CompletableFuture<Void> sent(@Nullable CompletableFuture<Void> sent) {
        if (sent == null) {
            sentOne();
            return null;
        }
        return sent.whenComplete((nothing, error) -> sentOne());
    }

    private synchronized void sentOne() {
        sending--;
        touch();
    }

    private void touch() {
        takenNanos = reclaimer.nanos();
        reader.touch();
    }

    /** Fetches the rest again; nothing is sent now. */
    private @Nullable CompletableFuture<Void> fetchFrom(int leaf) {
        BlockAttempt running;
        try {
            running = source.start(block().part(leaf, block().leaves().leaves() - leaf), new Again());
        } catch (CloudMwException e) {
            return CompletableFuture.failedFuture(lost(e));
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(CloudMwException.ofDefect(block().toString(), e));
        }
        boolean late;
        synchronized (this) {
            again = running;
            late = freed;
        }
        if (late) {
            running.cancel();
        } else {
            running.shorten(availableBytes() - block().leaves().offset(leaf));
        }
        return null;
    }

    /** A full queue here does not blame the store: the reader may ask another helper. */
    private CloudMwException lost(CloudMwException cause) {
        return cause.code() == ErrorCode.OVERLOADED
                ? new CloudMwException(
                        ErrorCode.HELPER_UNAVAILABLE,
                        block() + ": reclaimed from an idle reader, and no room to fetch it again",
                        cause)
                : cause;
    }

    private synchronized void comes(FetchedBlock growing) {
        bytes = growing;
    }

    /** Takes over the fetched bytes, which are closed with this block. */
    private void came(FetchedBlock fetched) {
        boolean late;
        synchronized (this) {
            late = freed;
            bytes = late ? null : fetched;
            coming = false;
            again = null;
            takenNanos = reclaimer.nanos();
            if (!late) {
                reclaimer.add(this);
            }
        }
        if (late) {
            fetched.close();
        }
    }

    private synchronized void fetchFailed(CloudMwException cause) {
        bytes = null;
        failure = cause;
    }

    @Override
    protected void free() {
        FetchedBlock held;
        BlockAttempt running;
        synchronized (this) {
            freed = true;
            held = bytes;
            running = again;
            bytes = null;
            reclaimer.remove(this);
        }
        reader.leave();
        if (held != null) {
            held.close();
        }
        if (running != null) {
            running.cancel();
        }
    }

    /** The listener of the first fetch; it passes every event on to the reader. */
    private final class First implements BlockAttempt.Listener {
        @Override
        public boolean turnCame() {
            return listener.turnCame();
        }

        @Override
        public void began(FetchedBlock growing) {
            comes(growing);
            listener.began(ReclaimableBlock.this);
        }

        @Override
        public void progressed(long count) {
            arrived(count);
            listener.progressed(count);
        }

        @Override
        public void finished(FetchedBlock fetched) {
            arrived(fetched.availableBytes());
            came(fetched);
            listener.finished(ReclaimableBlock.this);
        }

        @Override
        public void failed(CloudMwException cause, long count) {
            close();
            listener.failed(cause, count);
        }

        @Override
        public void noRoom(CloudMwException cause, long count) {
            close();
            listener.noRoom(cause, count);
        }

        @Override
        public void cancelled(long count) {
            close();
            listener.cancelled(count);
        }
    }

    /** The listener of a fetch after a reclaim. */
    private final class Again implements BlockAttempt.Listener {
        @Override
        public void began(FetchedBlock growing) {
            comes(growing);
        }

        @Override
        public void progressed(long count) {
            listener.progressed(availableBytes());
        }

        @Override
        public void finished(FetchedBlock fetched) {
            came(fetched);
            listener.progressed(availableBytes());
        }

        @Override
        public void failed(CloudMwException cause, long count) {
            fetchFailed(lost(cause));
            listener.progressed(availableBytes());
        }

        @Override
        public void cancelled(long count) {
            // Closing this block has cancelled the fetch.
        }
    }
}
