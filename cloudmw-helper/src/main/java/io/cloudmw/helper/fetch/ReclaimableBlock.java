package io.cloudmw.helper.fetch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.error.CloudMwException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A block for one reader, of which the bytes may be given up once all are here, and are fetched again when he takes more: what a
 * store keeps never changes. He hears of the fetching again as of progress, and of its failure when he takes the next leaf.
 */
final class ReclaimableBlock extends FetchedBlock {
    /** How it is fetched. */
    @FunctionalInterface
    interface Source {
        Attempt start(Attempt.Listener listener) throws CloudMwException;
    }

    private final Reclaimer reclaimer;
    private final Attempt.Listener reader;
    private final Source source;
    private volatile long takenNanos;

    /** Where its bytes are; null: they are not here, or nothing has come of them yet. */
    @GuardedBy("this")
    private @Nullable FetchedBlock bytes;

    /** They are all here. */
    @GuardedBy("this")
    private boolean whole;

    /** They were given up, and are on their way again. */
    @GuardedBy("this")
    private boolean coming;

    @GuardedBy("this")
    private @Nullable Attempt again;

    @GuardedBy("this")
    private @Nullable CloudMwException failure;

    @GuardedBy("this")
    private boolean freed;

    ReclaimableBlock(Reclaimer reclaimer, WantedBlock block, Attempt.Listener reader, Source source) {
        super(block);
        this.reclaimer = reclaimer;
        this.reader = reader;
        this.source = source;
        this.takenNanos = reclaimer.nanos();
    }

    /** Has it fetched for the first time. */
    Attempt start() throws CloudMwException {
        return source.start(new First());
    }

    /** When somebody took something of it, or it was all here. */
    long takenNanos() {
        return takenNanos;
    }

    @Override
    synchronized long holds(ByteBudget budget) {
        FetchedBlock here = bytes;
        return here == null ? 0 : here.holds(budget);
    }

    /**
     * Lets go of the bytes, unless somebody takes them.
     *
     * @param budget whose room is wanted
     * @param before something was taken of it last
     * @return how much of it that held, others perhaps as well
     */
    long giveUp(ByteBudget budget, long before) {
        FetchedBlock given;
        synchronized (this) {
            given = bytes;
            if (given == null || !whole || takenNanos - before > 0) {
                return 0;
            }
            bytes = null;
            whole = false;
            reclaimer.remove(this);
        }
        long held = given.holds(budget);
        given.close();
        return held;
    }

    @Override
    @Nullable
    CompletableFuture<Void> sendHeld(BulkStream stream, int leaf) {
        FetchedBlock from;
        synchronized (this) {
            takenNanos = reclaimer.nanos();
            if (failure != null) {
                return CompletableFuture.failedFuture(failure);
            }
            from = bytes;
            if (from == null && !coming) {
                coming = true;
            } else if (from == null || !from.has(leaf) || !from.tryHold()) {
                return null;
            }
        }
        return from == null ? fetchAgain() : from.sendAndLetGo(stream, leaf);
    }

    /** Nothing is sent now. */
    private @Nullable CompletableFuture<Void> fetchAgain() {
        Attempt running;
        try {
            running = source.start(new Again());
        } catch (CloudMwException e) {
            return CompletableFuture.failedFuture(e);
        }
        boolean late;
        synchronized (this) {
            again = running;
            late = freed;
        }
        if (late) {
            running.cancel();
        } else {
            running.shorten(availableBytes());
        }
        return null;
    }

    private synchronized void comes(FetchedBlock growing) {
        bytes = growing;
    }

    /** All that is wanted of it; closed with this. */
    private void came(FetchedBlock fetched) {
        boolean late;
        synchronized (this) {
            late = freed;
            bytes = late ? null : fetched;
            whole = !late;
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

    @Override
    void free() {
        FetchedBlock held;
        Attempt running;
        synchronized (this) {
            freed = true;
            held = bytes;
            running = again;
            bytes = null;
            reclaimer.remove(this);
        }
        if (held != null) {
            held.close();
        }
        if (running != null) {
            running.cancel();
        }
    }

    /** What the reader hears as well. */
    private final class First implements Attempt.Listener {
        @Override
        public boolean turnCame() {
            return reader.turnCame();
        }

        @Override
        public void began(FetchedBlock growing) {
            comes(growing);
            reader.began(ReclaimableBlock.this);
        }

        @Override
        public void progressed(long count) {
            arrived(count);
            reader.progressed(count);
        }

        @Override
        public void finished(FetchedBlock fetched) {
            arrived(fetched.availableBytes());
            came(fetched);
            reader.finished(ReclaimableBlock.this);
        }

        @Override
        public void failed(CloudMwException cause, long count) {
            close();
            reader.failed(cause, count);
        }

        @Override
        public void noRoom(CloudMwException cause, long count) {
            close();
            reader.noRoom(cause, count);
        }

        @Override
        public void cancelled(long count) {
            close();
            reader.cancelled(count);
        }
    }

    /** Of what was given up. */
    private final class Again implements Attempt.Listener {
        @Override
        public void began(FetchedBlock growing) {
            comes(growing);
        }

        @Override
        public void progressed(long count) {
            reader.progressed(availableBytes());
        }

        @Override
        public void finished(FetchedBlock fetched) {
            came(fetched);
            reader.progressed(availableBytes());
        }

        @Override
        public void failed(CloudMwException cause, long count) {
            synchronized (ReclaimableBlock.this) {
                bytes = null;
                failure = cause;
            }
            reader.progressed(availableBytes());
        }

        @Override
        public void cancelled(long count) {
            // By who closed it.
        }
    }
}
