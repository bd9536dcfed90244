package io.cloudmw.helper.switching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.fetch.BlockAttempt;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a {@link SharedFetch} at one source, from a leaf on. Safe for any thread; some of it is guarded by the
 * fetch's lock.
 */
final class FetchAttempt implements BlockAttempt.Listener {
    /** The listener of an attempt, called on the thread that fetches. */
    interface Listener {
        /** The attempt's turn has come. Returns false when the attempt is not wanted any more. */
        boolean turnCame(FetchAttempt attempt);

        /** The source has been asked. */
        void began(FetchAttempt attempt);

        /** Takes over a reference to a leaf of the fetch. */
        void land(FetchAttempt attempt, int index, Leaf leaf);

        /**
         * The attempt brings nothing more.
         *
         * @param asked whether the source was asked, so that another may be asked instead
         */
        void failed(FetchAttempt attempt, CloudMwException cause, boolean asked);
    }

    private final Listener fetch;
    private final int first;
    private final FetchRoute route;
    private final FetchSource source;
    /** True when the attempt makes up for a late one. */
    private final boolean extra;

    /** True when its turn came before those of others. Guarded by the fetch's lock. */
    private boolean chosen;

    @GuardedBy("this")
    private @Nullable BlockAttempt attempt;

    @GuardedBy("this")
    private boolean cancelled;

    /** Leaves handed on; written by the thread that fetches. */
    private volatile int taken;

    private volatile @Nullable FetchedBlock growing;

    /**
     * Asks no source yet.
     *
     * @param first index of the first leaf it brings, in the fetch
     * @param route at the source it asks
     * @param extra whether it makes up for a late attempt
     */
    FetchAttempt(Listener fetch, int first, FetchRoute route, boolean extra) {
        this.fetch = fetch;
        this.first = first;
        this.route = route;
        this.source = route.source();
        this.extra = extra;
    }

    /** Index in the fetch of the first leaf it brings. */
    int first() {
        return first;
    }

    /** Index in the fetch of the leaf it brings next. */
    int next() {
        return first + taken;
    }

    FetchRoute route() {
        return route;
    }

    FetchSource source() {
        return source;
    }

    /** The client whose turn it waits for. */
    String client() {
        return route.demand().client();
    }

    Priority priority() {
        return route.demand().priority();
    }

    boolean isExtra() {
        return extra;
    }

    long untilMillis() {
        return route.demand().untilMillis();
    }

    /** Returns whether its turn came before those of others. The caller holds the fetch's lock. */
    boolean isChosen() {
        return chosen;
    }

    /** Notes that its turn came before those of others. The caller holds the fetch's lock. */
    void choose() {
        chosen = true;
    }

    /** Returns whether bytes are on their way: a store was asked, or a parent has sent a leaf. */
    boolean isBringing() {
        return source.isParent() ? taken > 0 : growing != null;
    }

    void started(BlockAttempt running) {
        boolean late;
        synchronized (this) {
            attempt = running;
            late = cancelled;
        }
        if (late) {
            running.cancel();
        }
    }

    void cancel() {
        BlockAttempt running;
        synchronized (this) {
            cancelled = true;
            running = attempt;
        }
        if (running != null) {
            running.cancel();
        }
    }

    @Override
    public boolean turnCame() {
        return fetch.turnCame(this);
    }

    @Override
    public void began(FetchedBlock block) {
        growing = block;
        fetch.began(this);
    }

    @Override
    public void progressed(long bytes) {
        FetchedBlock here = growing;
        if (here != null) {
            take(here, bytes);
        }
    }

    private void take(FetchedBlock grown, long bytes) {
        while (taken < grown.block().leaves().leaves()
                && grown.block().leaves().offset(taken) + grown.block().leaves().length(taken) <= bytes) {
            int leaf = taken;
            taken = leaf + 1;
            source.received(grown.block().leaves().length(leaf));
            grown.leaf(leaf).ifPresent(held -> fetch.land(this, first + leaf, held));
        }
    }

    @Override
    public void finished(FetchedBlock fetched) {
        take(fetched, fetched.availableBytes());
        fetched.close();
        fetch.failed(
                this,
                new CloudMwException(ErrorCode.INTERNAL, fetched.block() + ": an attempt brought less than all"),
                true);
    }

    @Override
    public void failed(CloudMwException cause, long bytes) {
        fetch.failed(this, cause, true);
    }

    /** Without room here, another source would not help. */
    @Override
    public void noRoom(CloudMwException cause, long bytes) {
        fetch.failed(this, cause, false);
    }

    @Override
    public void cancelled(long bytes) {
        // The fetch cancelled it, and has removed it already.
    }
}
