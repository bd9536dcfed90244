package io.cloudmw.core.delivery;

import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The dispatcher of ranges: it issues each to the entrants of a race, or to a free lane by the quickest route. */
final class Dispatcher {
    /** The penalty of a replica not planned for this helper (another's disk, another region). */
    private static final double DETOUR = 1.25;

    /** A store this many times slower than the one chosen is read so rarely that it has to be explored. */
    private static final double CLEARLY_SLOWER = 2;

    /** The ranges that helpers leave to the client's own racers until these are ready. */
    private static final int PROBED_RANGES = 2;

    /** However slow a store is now, it is taken for no slower than this many times its usual. */
    private static final double MOST_SLOWDOWN = 100;

    /** Doubts about a store that is away: more than any failures. */
    private static final int AWAY = 1 << 20;

    private final DeliveryState state;
    private final ModePolicy mode;
    private final WorkStealing stealing;

    Dispatcher(DeliveryState state) {
        this.state = state;
        this.mode = state.mode();
        this.stealing = new WorkStealing(state, this);
    }

    /** Issues whatever may be issued now. */
    void dispatch() {
        BlockWindow window = state.window();
        while (!state.isOver() && window.openNext(state.now())) {
            // Each range opened may leave room for the next.
        }
        if (window.ready().isEmpty() && !mode.extras().steals()) {
            return;
        }
        if (mode.lineup().isRace()) {
            List.copyOf(window.ready()).forEach(this::startRace);
            return;
        }
        if (state.directUse() != DirectUse.LAST_RESORT) {
            state.askForDirectRacers();
        }
        feedLanes();
        issueLowest();
        if (!state.racers().hasHelpers() || state.hasAnyRouteFailed()) {
            List.copyOf(window.ready()).forEach(this::issueDirectly);
        }
        if (mode.extras().steals() && window.ready().isEmpty()) {
            stealing.stealForIdleLanes();
        }
    }

    // ---- races

    /** Issues the range to the racers that are left, or lets it wait for the client's own. */
    private void startRace(WantedRange range) {
        if (state.isOver()) {
            return;
        }
        LiveRacers racers = state.racers();
        List<Entrant> entrants = racers.entrantsFor(range);
        if (entrants.isEmpty()) {
            state.askForDirectRacers();
            if (!racers.isLocalReady()) {
                return;
            }
            if (range.chunk().forgive()) {
                entrants = racers.entrantsFor(range);
            }
            if (entrants.isEmpty() && state.unbar(range)) {
                entrants = racers.entrantsFor(range);
            }
        }
        if (entrants.isEmpty()) {
            state.fail(range);
        } else {
            state.issue(range, entrants, BlockRule.RACE, range.nextReason(), 0);
        }
    }

    // ---- single attempts

    private void feedLanes() {
        LiveRacers racers = state.racers();
        List<RacerId> workers = racers.planners(state.directUse());
        for (int depth = 1; depth <= mode.lineup().queuePerLane(); depth++) {
            for (RacerId worker : workers) {
                int helper = racers.helperOf(worker);
                // The client has no round trip to hide, so its own racers need no queue.
                int room = helper == SpeedEstimates.CLIENT ? 1 : depth;
                boolean isFree = state.window().mayNeed(helper) && racers.load(worker) < room;
                if (isFree && racers.mayWork(worker) && !racers.isSilent(worker) && !feed(worker, workers)) {
                    state.window().needsNot(helper); // all lanes of a helper may bring the same ranges
                }
            }
        }
    }

    /** False when nothing that is ready is for the racer. */
    private boolean feed(RacerId worker, List<RacerId> workers) {
        for (WantedRange range : state.window().ready()) {
            Entrant entrant = isPlannedFor(worker, range) ? best(worker, range, null) : null;
            if (entrant != null) {
                issue(range, entrant, workers);
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the racer may be issued the range. A probe takes no range that the destination waits for, nor one
     * that has failed. Until the client's own racers are ready, helpers leave some ranges to them.
     */
    private boolean isPlannedFor(RacerId worker, WantedRange range) {
        LiveRacers racers = state.racers();
        if (state.directUse() != DirectUse.PROBING) {
            return racers.mayPlan(worker, range, state.directUse());
        }
        BlockWindow window = state.window();
        if (racers.helperOf(worker) == SpeedEstimates.CLIENT) {
            return !window.isLowest(range) && range.nextReason() == IssueReason.PLANNED;
        }
        return racers.isLocalReady() || window.isLowest(range) || window.ready().size() > PROBED_RANGES;
    }

    private void issue(WantedRange range, Entrant first, List<RacerId> workers) {
        boolean isIdle = state.racers().load(first.racer()) == 0;
        Entrant second = mode.lineup().tied() && !isIdle ? partner(range, first.racer(), workers) : null;
        if (second != null) {
            state.issue(range, List.of(first, second), BlockRule.TIED, range.nextReason(), 0);
        } else if (isIdle && mayExplore()) {
            explore(range, first);
        } else {
            state.issue(range, first);
        }
    }

    /** The other entrant of a block that has to wait: the least busy lane of another helper. */
    private @Nullable Entrant partner(WantedRange range, RacerId first, List<RacerId> workers) {
        LiveRacers racers = state.racers();
        Entrant partner = null;
        int least = mode.lineup().queuePerLane() + 1;
        for (RacerId worker : workers) {
            int load = racers.load(worker);
            boolean isElsewhere = racers.isHelper(worker) && racers.helperOf(worker) != racers.helperOf(first);
            if (load < least && isElsewhere && racers.mayWork(worker) && !racers.isSilent(worker)) {
                Entrant entrant = best(worker, range, null);
                if (entrant != null) {
                    partner = entrant;
                    least = load;
                }
            }
        }
        return partner;
    }

    /**
     * Issues the lowest range even when no lane is free: racers never pause for it, but may for what they hold. Where
     * no racer at work has a route to it, one more than the mode's number is put to work.
     */
    private void issueLowest() {
        WantedRange lowest = state.window().isOpen() ? state.window().lowest() : null;
        if (lowest == null || lowest.isIssued()) {
            return;
        }
        LiveRacers racers = state.racers();
        List<RacerId> workers = racers.planners(state.directUse()).stream()
                .filter(worker -> isPlannedFor(worker, lowest))
                .toList();
        List<RacerId> heard =
                workers.stream().filter(worker -> !racers.isSilent(worker)).toList();
        Entrant entrant = leastBusy(heard.stream().filter(racers::mayWork).toList(), lowest);
        entrant = entrant == null ? leastBusy(heard, lowest) : entrant;
        entrant = entrant == null ? leastBusy(workers, lowest) : entrant;
        if (entrant != null) {
            state.issue(lowest, entrant);
        }
    }

    /** The racer with the shortest queue of those that have a route to the range. */
    private @Nullable Entrant leastBusy(Collection<RacerId> racers, WantedRange range) {
        Entrant leastBusy = null;
        int least = Integer.MAX_VALUE;
        for (RacerId racer : racers) {
            int load = state.racers().load(racer);
            Entrant entrant = load < least ? best(racer, range, null) : null;
            if (entrant != null) {
                leastBusy = entrant;
                least = load;
            }
        }
        return leastBusy;
    }

    // ---- exploring slow stores

    /** Switches measure stores by themselves; a store that one reader explores through them, all readers would. */
    private boolean mayExplore() {
        return mode.extras().hedges()
                && !state.racers().hasOwners()
                && state.budget().explores()
                && state.budget().spareRequests() > 0;
    }

    /**
     * Reads the range from the slowest store instead, with the time of the chosen store. Otherwise nothing would show
     * that the slow store has recovered; if it has not, the block is soon late. The last range of all is read there
     * besides. Where no store is clearly slower, all are read anyway.
     */
    private void explore(WantedRange range, Entrant first) {
        BlockWindow window = state.window();
        boolean isLast = window.ready().size() == 1 && !window.hasMore();
        List<RacerId> others = state.racers().idleBeside(first.racer(), state.directUse()).stream()
                .filter(racer -> !racer.equals(first.racer()))
                .toList();
        Entrant slow = slowest(range, first, isLast ? others : List.of(first.racer()));
        StoreId chosen = range.chunk().store(first.replica());
        if (slow == null || isLast || window.isLowest(range)) {
            state.issue(range, first);
        } else {
            state.issue(range, slow).exploresInsteadOf(chosen);
        }
        long bytes = range.missing().length();
        if (slow != null
                && isLast
                && state.budget().spendSpare(chosen, range.chunk().store(slow.replica()), bytes)) {
            state.issue(range, List.of(slow), BlockRule.SOLE, IssueReason.DUPLICATE, bytes);
        }
    }

    /** The slowest route of these racers to another replica; null: none is clearly slower. */
    private @Nullable Entrant slowest(WantedRange range, Entrant first, List<RacerId> racers) {
        double slowest = CLEARLY_SLOWER * expectedNanos(first, range);
        Entrant slow = null;
        for (RacerId racer : racers) {
            int helper = state.racers().helperOf(racer);
            for (int replica : range.chunk().readable()) {
                double time = expectedNanos(helper, replica, range);
                boolean isFit = replica != first.replica()
                        && state.racers().mayRead(helper, range.chunk().store(replica))
                        && range.chunk().doubts(helper, replica) == 0
                        && !state.isAway(range.chunk().store(replica));
                if (isFit && time > slowest) {
                    slow = new Entrant(racer, replica);
                    slowest = time;
                }
            }
        }
        return slow;
    }

    // ---- routes

    /**
     * The racer's best route to the range: the one with the fewest doubts, then the shortest expected time.
     *
     * @param excluded the store that must not be read; null: all may be
     * @return null when every route is spent
     */
    @Nullable
    Entrant best(RacerId racer, WantedRange range, @Nullable StoreId excluded) {
        int helper = state.racers().helperOf(racer);
        if (!state.racers().mayBring(helper, range)) {
            return null;
        }
        ChunkRoutes chunk = range.chunk();
        Entrant best = null;
        int fewestDoubts = Integer.MAX_VALUE;
        double shortest = 0;
        for (int replica : chunk.readable()) {
            StoreId store = chunk.store(replica);
            boolean isOut = chunk.isSpent(helper, replica) || !state.racers().mayRead(helper, store);
            if (isOut || store.equals(excluded)) {
                continue;
            }
            int doubts = chunk.doubts(helper, replica) + (state.isAway(store) ? AWAY : 0);
            double time = expectedNanos(helper, replica, range);
            if (doubts < fewestDoubts || (doubts == fewestDoubts && time < shortest)) {
                best = new Entrant(racer, replica);
                fewestDoubts = doubts;
                shortest = time;
            }
        }
        return best;
    }

    /**
     * The racer whose best route to the range has the shortest expected time, for an attempt that is not needed: by
     * neither the excluded store nor one that is away.
     */
    @Nullable
    Entrant quickest(List<RacerId> racers, WantedRange range, @Nullable StoreId excluded) {
        Entrant quickest = null;
        double shortest = 0;
        for (RacerId racer : racers) {
            Entrant entrant = best(racer, range, excluded);
            if (entrant != null && !state.isAway(range.chunk().store(entrant.replica()))) {
                double time = expectedNanos(entrant, range);
                if (quickest == null || time < shortest) {
                    quickest = entrant;
                    shortest = time;
                }
            }
        }
        return quickest;
    }

    private double expectedNanos(Entrant entrant, WantedRange range) {
        return expectedNanos(state.racers().helperOf(entrant.racer()), entrant.replica(), range);
    }

    private double expectedNanos(int helper, int replica, WantedRange range) {
        StoreId store = range.chunk().store(replica);
        long bytes = range.missing().length();
        double usual = state.speeds().bytesPerNano(store, helper, bytes);
        double alone =
                state.speeds().firstByteNanos(store, helper, bytes) + bytes / Math.min(usual, rateNow(store, usual));
        boolean isStraight = helper == SpeedEstimates.CLIENT || range.chunk().isPlanned(helper, replica);
        double detour = isStraight ? 1 : DETOUR;
        return alone * (1 + state.busy(store)) * detour;
    }

    /** Bytes per nanosecond that attempts at the store get now, as far as they are old enough to tell. */
    private double rateNow(StoreId store, double usual) {
        return Math.max(state.throughput().rateAt(store, usual), usual / MOST_SLOWDOWN);
    }

    // ---- the client's own racers

    /** Issues a range that no helper can bring to the client's own racers, and fails it when they cannot either. */
    private void issueDirectly(WantedRange range) {
        if (state.isOver() || !needsDirectRead(range)) {
            return;
        }
        state.askForDirectRacers();
        if (!state.racers().isLocalReady() || mustWait(range)) {
            return;
        }
        Entrant local = leastBusy(state.racers().localWorkers(range.chunk()), range);
        if (local != null) {
            if (state.racers().load(local.racer()) == 0 || state.window().isLowest(range)) {
                state.issue(range, local);
            }
        } else if (leastBusy(state.racers().workers(), range) == null) {
            issueAsLastResort(range);
        }
    }

    /** Reads replicas known to be bad, because no other is left of the range. */
    private void issueAsLastResort(WantedRange range) {
        Entrant entrant = state.unbar(range) ? leastBusy(state.racers().workers(), range) : null;
        if (entrant == null) {
            entrant = leastBusy(state.racers().localWorkers(range.chunk()), range);
        }
        if (entrant == null) {
            state.fail(range);
        } else {
            state.issue(range, entrant);
        }
    }

    /** Returns whether all of the client's own racers have a block: only the lowest range is not for an idle one. */
    private boolean mustWait(WantedRange range) {
        List<RacerId> own = state.racers().localWorkers(range.chunk());
        return !own.isEmpty()
                && !state.window().isLowest(range)
                && own.stream().allMatch(racer -> state.racers().load(racer) > 0);
    }

    /**
     * Whether the client reads a range itself, directly from the stores: no helper is left, or none that can still read
     * it.
     */
    private boolean needsDirectRead(WantedRange range) {
        if (!state.racers().hasHelpers() || !range.chunk().hasFailed()) {
            return !state.racers().hasHelpers();
        }
        return range.reissues() >= 2 * range.chunk().plan().replicas()
                || state.racers().workers().stream().allMatch(racer -> best(racer, range, null) == null);
    }
}
