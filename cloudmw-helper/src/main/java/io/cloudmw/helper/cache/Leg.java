package io.cloudmw.helper.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.helper.fetch.Attempt;
import io.cloudmw.helper.fetch.FetchedBlock;
import io.cloudmw.helper.fetch.Leaf;
import org.jspecify.annotations.Nullable;

/** One attempt of a {@link Flight}, from a leaf on. Safe for any thread; some of it is guarded by its flight's lock. */
final class Leg implements Attempt.Listener {
    /** Told what becomes of it; on the thread that fetches. */
    interface Listener {
        /** Its turn has come. False: it is not wanted any more. */
        boolean turnCame(Leg leg);

        /** It was begun where the bytes are, or where they are asked for. */
        void began(Leg leg);

        /** Takes over a hold on a leaf of the flight. */
        void land(Leg leg, int index, Leaf leaf);

        /**
         * It brings nothing more.
         *
         * @param asked whether anybody was, so that another may be instead
         */
        void failed(Leg leg, CloudMwException cause, boolean asked);
    }

    private final Listener flight;
    private final int first;
    private final Way way;
    private final Stop stop;
    private final Flight.Source asking;
    /** Whose turn it waits for. */
    private final String client;
    /** It makes up for another. */
    private final boolean extra;

    private final long untilMillis;
    /** Its turn came before those of others. With the flight's lock held. */
    private boolean chosen;

    @GuardedBy("this")
    private @Nullable Attempt attempt;

    @GuardedBy("this")
    private boolean cancelled;

    /** Written by the thread that fetches. */
    private volatile int taken;

    private volatile @Nullable FetchedBlock growing;

    Leg(Listener flight, int first, Way way, Flight.Source asking, boolean extra, long untilMillis) {
        this.flight = flight;
        this.first = first;
        this.way = way;
        this.stop = way.stop();
        this.asking = asking;
        this.client = asking.requester().tenant().client();
        this.extra = extra;
        this.untilMillis = untilMillis;
    }

    /** Of the flight's leaves, the first it brings. */
    int first() {
        return first;
    }

    /** Of the flight's leaves, the one it brings next. */
    int next() {
        return first + taken;
    }

    Way way() {
        return way;
    }

    Stop stop() {
        return stop;
    }

    /** On whose behalf, and for whose store. */
    Flight.Source asking() {
        return asking;
    }

    String client() {
        return client;
    }

    Priority priority() {
        return asking.requester().tenant().priority();
    }

    boolean isExtra() {
        return extra;
    }

    long untilMillis() {
        return untilMillis;
    }

    /** With the flight's lock held. */
    boolean isChosen() {
        return chosen;
    }

    /** Its turn came before those of others. With the flight's lock held. */
    void choose() {
        chosen = true;
    }

    /** Whether it was begun where the bytes are. */
    boolean isBringing() {
        return stop.isParent() ? taken > 0 : growing != null;
    }

    void started(Attempt running) {
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
        Attempt running;
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
        return flight.turnCame(this);
    }

    @Override
    public void began(FetchedBlock block) {
        growing = block;
        flight.began(this);
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
            stop.came(grown.block().leaves().length(leaf));
            grown.leaf(leaf).ifPresent(held -> flight.land(this, first + leaf, held));
        }
    }

    @Override
    public void finished(FetchedBlock fetched) {
        take(fetched, fetched.availableBytes());
        fetched.close();
        flight.failed(
                this,
                new CloudMwException(ErrorCode.INTERNAL, fetched.block() + ": an attempt brought less than all"),
                true);
    }

    @Override
    public void failed(CloudMwException cause, long bytes) {
        flight.failed(this, cause, true);
    }

    @Override
    public void noRoom(CloudMwException cause, long bytes) {
        flight.failed(this, cause, false); // nobody else is to be asked instead
    }

    @Override
    public void cancelled(long bytes) {
        // By who has ended the flight.
    }
}
