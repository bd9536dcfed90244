package io.cloudmw.core.delivery;

import io.cloudmw.core.hedge.StealSize;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides who reads what next: the entrants of races, the next block of every free lane, and what idle lanes steal. */
final class Dispatcher {
    /** A replica nobody planned for this helper (another's disk, another region) must be that much better. */
    private static final double DETOUR = 1.25;
    /** An attempt that would take this many times longer than another is as good as stuck. */
    private static final double FAR_BEHIND = 4;

    /** A store so many times slower than the one chosen is read so rarely that it has to be tried. */
    private static final double CLEARLY_SLOWER = 2;

    /** However slow a store is now, it is not given up altogether. */
    private static final double MOST_SLOWDOWN = 100;

    /** Whatever else speaks against a way, a store that is away is asked after it. */
    private static final int AWAY = 1 << 20;

    private final DeliveryState board;
    private final ModePolicy mode;

    Dispatcher(DeliveryState board) {
        this.board = board;
        this.mode = board.mode();
    }

    /** Issues whatever may be issued now. */
    void dispatch() {
        while (!board.over && board.window.openNext(board.nowNanos) != null) {
            // Each one opened may leave room for the next.
        }
        if (board.window.ready().isEmpty() && !mode.extras().steals()) {
            return;
        }
        if (mode.lineup().isRace()) {
            List.copyOf(board.window.ready()).forEach(this::startRace);
        } else {
            feedLanes();
            sendLowest();
            if (!board.roster.hasHelpers() || board.anyFailed) {
                List.copyOf(board.window.ready()).forEach(this::sendToClient);
            }
            if (mode.extras().steals() && board.window.ready().isEmpty()) {
                stealForIdleLanes();
            }
        }
    }

    // ---- races

    /** Issues the piece to whoever is left, or lets it wait for the in-process racers. */
    private void startRace(WantedRange piece) {
        if (board.over) {
            return;
        }
        List<Entrant> entrants = board.roster.racersFor(piece);
        if (entrants.isEmpty()) {
            board.askLocal();
            if (!board.roster.isLocalReady()) {
                return;
            }
            if (piece.chunk.forgive()) {
                entrants = board.roster.racersFor(piece);
            }
            if (entrants.isEmpty() && board.resort(piece)) {
                entrants = board.roster.racersFor(piece);
            }
        }
        if (entrants.isEmpty()) {
            board.fail(piece);
        } else {
            board.issue(piece, entrants, BlockRule.RACE, piece.next, 0);
        }
    }

    // ---- single attempts

    private void feedLanes() {
        List<RacerId> workers = board.roster.workers();
        for (int depth = 1; depth <= mode.lineup().queuePerLane(); depth++) {
            for (RacerId worker : workers) {
                int helper = board.roster.helperOf(worker);
                boolean isFree = board.window.mayNeed(helper) && board.roster.load(worker) < depth;
                if (isFree && mayWork(worker) && !board.roster.isSilent(worker) && !feed(worker, workers)) {
                    board.window.needsNot(helper); // any lane of a helper may bring what another may
                }
            }
        }
    }

    /** Whether the racer is at work, or one more may be. */
    private boolean mayWork(RacerId worker) {
        return board.roster.load(worker) > 0
                || board.roster.working() < mode.lineup().racers();
    }

    /**
     * The lowest block waits for no lane to be free: racers never pause for it, but they may for what they have. Where none
     * of those at work has a way to it, it goes to one more than there should be.
     */
    private void sendLowest() {
        WantedRange lowest = board.window.isOpen() ? board.window.lowest() : null;
        if (lowest == null || !lowest.flights.isEmpty()) {
            return;
        }
        List<RacerId> workers = board.roster.workers();
        List<RacerId> heard = workers.stream()
                .filter(worker -> !board.roster.isSilent(worker))
                .toList();
        Entrant entrant = leastBusy(heard.stream().filter(this::mayWork).toList(), lowest);
        entrant = entrant == null ? leastBusy(heard, lowest) : entrant;
        entrant = entrant == null ? leastBusy(workers, lowest) : entrant;
        if (entrant != null) {
            board.issue(lowest, List.of(entrant), BlockRule.SOLE, lowest.next, 0);
        }
    }

    /** Of the racers that have a way to the piece, the one with the least to do. */
    private @Nullable Entrant leastBusy(Collection<RacerId> racers, WantedRange piece) {
        Entrant leastBusy = null;
        int least = Integer.MAX_VALUE;
        for (RacerId racer : racers) {
            Entrant entrant = board.roster.load(racer) < least ? best(racer, piece, null) : null;
            if (entrant != null) {
                leastBusy = entrant;
                least = board.roster.load(racer);
            }
        }
        return leastBusy;
    }

    /** False when nothing that is ready is for the racer. */
    private boolean feed(RacerId worker, List<RacerId> workers) {
        for (WantedRange piece : board.window.ready()) {
            Entrant entrant = best(worker, piece, null);
            if (entrant != null) {
                send(piece, entrant, workers);
                return true;
            }
        }
        return false;
    }

    private void send(WantedRange piece, Entrant first, List<RacerId> workers) {
        Entrant second = mode.lineup().tied() && board.roster.load(first.racer()) > 0
                ? partner(piece, first.racer(), workers)
                : null;
        if (second != null) {
            board.issue(piece, List.of(first, second), BlockRule.TIED, piece.next, 0);
        } else if (board.roster.load(first.racer()) == 0 && mayExplore()) {
            explore(piece, first);
        } else {
            board.issue(piece, List.of(first), BlockRule.SOLE, piece.next, 0);
        }
    }

    /** Switches see by themselves how fast stores are: what one reader explores, all would. */
    private boolean mayExplore() {
        return mode.extras().hedges()
                && !board.roster.hasHomes()
                && board.governor.explores()
                && board.governor.spareRequests() > 0;
    }

    /**
     * Reads the block from the slowest store instead, as if that were as fast as the one chosen: nobody would see otherwise
     * that it has recovered, and if it has not, the block is soon late. Where every other block is under way already it is
     * tried there besides. Where no store is clearly slower, all are read anyway.
     */
    private void explore(WantedRange piece, Entrant first) {
        boolean isLast = board.window.ready().size() == 1 && !board.window.hasMore();
        List<RacerId> others = board.roster.idleBeside(first.racer()).stream()
                .filter(racer -> !racer.equals(first.racer()))
                .toList();
        Entrant slow = slowest(piece, first, isLast ? others : List.of(first.racer()));
        if (slow == null || isLast || board.window.isLowest(piece)) {
            board.issue(piece, List.of(first), BlockRule.SOLE, piece.next, 0);
        } else {
            BlockProgress explores = board.issue(piece, List.of(slow), BlockRule.SOLE, piece.next, 0);
            explores.insteadOf = piece.chunk.store(first.replica());
        }
        long bytes = piece.missing().length();
        if (slow != null
                && isLast
                && board.governor.spendSpare(
                        piece.chunk.store(first.replica()), piece.chunk.store(slow.replica()), bytes)) {
            board.issue(piece, List.of(slow), BlockRule.SOLE, IssueReason.DUPLICATE, bytes);
        }
    }

    /** The slowest way of these racers to another replica; null: none is clearly slower. */
    private @Nullable Entrant slowest(WantedRange piece, Entrant first, List<RacerId> racers) {
        double slowest = CLEARLY_SLOWER * expectedNanos(board.roster.helperOf(first.racer()), first.replica(), piece);
        Entrant slow = null;
        for (RacerId racer : racers) {
            int helper = board.roster.helperOf(racer);
            for (int replica : piece.chunk.readable()) {
                double time = expectedNanos(helper, replica, piece);
                boolean fit = replica != first.replica() && piece.chunk.doubts(helper, replica) == 0;
                if (fit && time > slowest) {
                    slow = new Entrant(racer, replica);
                    slowest = time;
                }
            }
        }
        return slow;
    }

    /** Who else might start a block that has to wait: the least busy lane of another helper. */
    private @Nullable Entrant partner(WantedRange piece, RacerId first, List<RacerId> workers) {
        Entrant partner = null;
        int least = mode.lineup().queuePerLane() + 1;
        for (RacerId worker : workers) {
            int load = board.roster.load(worker);
            boolean elsewhere = board.roster.helperOf(worker) != board.roster.helperOf(first);
            if (load < least && elsewhere && mayWork(worker) && !board.roster.isSilent(worker)) {
                Entrant entrant = best(worker, piece, null);
                if (entrant != null) {
                    partner = entrant;
                    least = load;
                }
            }
        }
        return partner;
    }

    /** The racer's best way to what may be read of the piece, by what failed and then by expected time; null: all are spent. */
    @Nullable
    Entrant best(RacerId racer, WantedRange piece, @Nullable StoreId not) {
        int helper = board.roster.helperOf(racer);
        if (!board.roster.mayBring(helper, piece)) {
            return null;
        }
        Entrant best = null;
        int fewestDoubts = Integer.MAX_VALUE;
        double shortest = 0;
        for (int replica : piece.chunk.readable()) {
            if (piece.chunk.isSpent(helper, replica)
                    || piece.chunk.store(replica).equals(not)) {
                continue;
            }
            int doubts = piece.chunk.doubts(helper, replica) + (board.isAway(piece.chunk.store(replica)) ? AWAY : 0);
            double time = expectedNanos(helper, replica, piece);
            if (doubts < fewestDoubts || (doubts == fewestDoubts && time < shortest)) {
                best = new Entrant(racer, replica);
                fewestDoubts = doubts;
                shortest = time;
            }
        }
        return best;
    }

    double expectedNanos(int helper, int replica, WantedRange piece) {
        StoreId store = piece.chunk.store(replica);
        long bytes = piece.missing().length();
        double usual = board.speeds.bytesPerNano(store, helper, bytes);
        double alone =
                board.speeds.firstByteNanos(store, helper, bytes) + bytes / Math.min(usual, rateNow(store, usual));
        double detour = piece.chunk.isPlanned(helper, replica) ? 1 : DETOUR;
        return alone * (1 + board.busy(store)) * detour;
    }

    /** Bytes per nanosecond that attempts at the store get now, as far as they are far enough to tell. */
    private double rateNow(StoreId store, double usual) {
        return Math.max(board.traffic().rateAt(store, usual), usual / MOST_SLOWDOWN);
    }

    /** What no helper can bring is the client's own to fetch, and when that is impossible too, nobody's. */
    private void sendToClient(WantedRange piece) {
        if (board.over || !needsClient(piece)) {
            return;
        }
        board.askLocal();
        if (!board.roster.isLocalReady() || mustWait(piece)) {
            return;
        }
        Entrant local = leastBusy(board.roster.localWorkers(piece.chunk), piece);
        if (local != null) {
            if (board.roster.load(local.racer()) == 0 || board.window.isLowest(piece)) {
                board.issue(piece, List.of(local), BlockRule.SOLE, piece.next, 0);
            }
        } else if (leastBusy(board.roster.workers(), piece) == null) {
            resort(piece);
        }
    }

    /** What is known to be bad is all that is left of the piece; after that nothing is. */
    private void resort(WantedRange piece) {
        Entrant entrant = board.resort(piece) ? leastBusy(board.roster.workers(), piece) : null;
        if (entrant == null) {
            entrant = leastBusy(board.roster.localWorkers(piece.chunk), piece);
        }
        if (entrant == null) {
            board.fail(piece);
        } else {
            board.issue(piece, List.of(entrant), BlockRule.SOLE, piece.next, 0);
        }
    }

    /** Whether all of the client's own racers have something to do: only the lowest block is not for an idle one. */
    private boolean mustWait(WantedRange piece) {
        List<RacerId> own = board.roster.localWorkers(piece.chunk);
        return !own.isEmpty()
                && !board.window.isLowest(piece)
                && own.stream().allMatch(racer -> board.roster.load(racer) > 0);
    }

    private boolean needsClient(WantedRange piece) {
        if (!board.roster.hasHelpers() || !piece.chunk.hasFailed()) {
            return !board.roster.hasHelpers();
        }
        return piece.reissues() >= 2 * piece.chunk.plan.replicas()
                || board.roster.workers().stream().allMatch(racer -> best(racer, piece, null) == null);
    }

    // ---- idle lanes

    /** While the destination is busy with what was fetched already, sooner would not be better. */
    private void stealForIdleLanes() {
        List<RacerId> idle = board.roster.workers().stream()
                .filter(worker -> board.roster.load(worker) == 0 && !board.roster.isSilent(worker))
                .toList();
        double backlog = idle.isEmpty() ? 0 : board.backlogNanos();
        BlockProgress victim = idle.isEmpty() ? null : endsLast(backlog);
        for (RacerId worker : idle) {
            if (victim == null) {
                return;
            }
            if (mayWork(worker) && steal(worker, victim)) {
                victim = endsLast(backlog);
            }
        }
    }

    /** What could be stolen of the flight that ends last, if that is not before {@code backlogNanos}. */
    private @Nullable BlockProgress endsLast(double backlogNanos) {
        BlockProgress last = null;
        double latest = backlogNanos;
        for (BlockProgress flight : board.flights()) {
            double left = leftNanos(flight);
            if (left > latest && isStealable(flight)) {
                last = flight;
                latest = left;
            }
        }
        return last;
    }

    /** False when it is not worth it, and nothing changed. */
    private boolean steal(RacerId thief, BlockProgress victim) {
        Entrant other = best(thief, victim.piece, victim.store());
        Entrant entrant = other == null ? best(thief, victim.piece, null) : other;
        return entrant != null && steal(victim, entrant, leftNanos(victim));
    }

    /** Whether it is queued, or there was time enough to judge it, and it was not just spared. */
    private boolean isStealable(BlockProgress flight) {
        long seenNanos =
                flight.runner == null ? board.nowNanos - flight.issuedAtNanos : flight.flowingNanos(board.nowNanos);
        boolean canTell = isQueued(flight) || seenNanos >= mode.extras().floorNanos();
        return canTell && flight.piece.flights.size() == 1 && board.nowNanos - flight.quietUntilNanos >= 0;
    }

    /** Whether it was not started: its helper says that it waits, or its turn has not come in any of its lanes. */
    private boolean isQueued(BlockProgress flight) {
        boolean waits = flight.waits && flight.isOnesAlone();
        return flight.runner == null
                && (waits
                        || flight.block.entrants().stream()
                                .allMatch(entrant -> isBehindAnother(flight, entrant.racer())));
    }

    /**
     * Whether the lane is at work for another block, and goes on for longer than a report of its end takes. Who is first
     * in its lane may have started long before that is heard here.
     */
    private boolean isBehindAnother(BlockProgress flight, RacerId racer) {
        BlockProgress head = board.roster.head(racer);
        return head != null
                && head != flight
                && head.runner != null
                && leftNanos(head) - (board.nowNanos - head.movedAtNanos)
                        > mode.extras().floorNanos();
    }

    /** How long the flight's racer will go on fetching, as it does now; 0: it is through, or nobody can tell yet. */
    double leftNanos(BlockProgress flight) {
        long bytes = flight.unfetchedBytes();
        if (flight.fetched || bytes == 0) {
            return 0;
        }
        int helper = board.roster.helperOf(flight.holder().racer());
        double rate = flight.rate(board.nowNanos);
        if (rate > 0) {
            return (double) bytes / rate;
        }
        if (flight.runner != null) {
            return 0; // too soon to tell
        }
        double usual = bytes / board.speeds.bytesPerNano(flight.store(), helper, bytes);
        return board.speeds.firstByteNanos(flight.store(), helper, bytes) + usual + leftAheadNanos(flight);
    }

    /** The same of one that fetches, but where nobody can tell yet, it is taken to get what is usual. */
    double expectedLeftNanos(BlockProgress flight) {
        long bytes = flight.unfetchedBytes();
        if (flight.fetched || flight.rate(board.nowNanos) > 0) {
            return leftNanos(flight);
        }
        int helper = board.roster.helperOf(flight.holder().racer());
        return bytes / board.speeds.bytesPerNano(flight.store(), helper, bytes);
    }

    /** Until the lane of a queued block is free. */
    private double leftAheadNanos(BlockProgress queued) {
        BlockProgress head = board.roster.head(queued.holder().racer());
        return head == null || head.runner == null ? 0 : leftNanos(head);
    }

    private boolean steal(BlockProgress victim, Entrant thief, double leftNanos) {
        int helper = board.roster.helperOf(thief.racer());
        StoreId store = victim.piece.chunk.store(thief.replica());
        long bytes = victim.unfetchedBytes();
        double rate = board.speeds.bytesPerNano(store, helper, bytes);
        double first = board.speeds.firstByteNanos(store, helper, bytes);
        double alone = first + bytes / rate;
        if (isQueued(victim)) {
            boolean worthwhile = !victim.reason.isExtra() && leftNanos - alone > StealSize.WORTHWHILE * leftNanos;
            if (worthwhile) {
                board.changeHands(victim, thief); // nothing is asked for twice
            }
            return worthwhile;
        }
        long floor = mode.extras().floorNanos();
        long tail = tailBytes(victim, (long) StealSize.bytes((double) bytes, leftNanos, first, rate, (double) floor));
        if (tail > 0 && maySplit(victim)) {
            split(victim, thief, tail, leftNanos > FAR_BEHIND * alone);
            return true;
        }
        if (leftNanos > 2 * alone + floor) {
            duplicate(victim, thief, leftNanos > FAR_BEHIND * alone);
            return true;
        }
        return false;
    }

    /** A stream hands on what it accepted leaf by leaf, and cannot take any of it back. */
    private boolean maySplit(BlockProgress flight) {
        OfferedRelay relay = flight.relay;
        return !board.policy.inOrder() || relay == null || !relay.accepted;
    }

    /** How much of the block's end can be split off: whole leaves, the one being fetched and the next stay. */
    private static long tailBytes(BlockProgress flight, long wanted) {
        ByteRange missing = flight.piece.missing();
        long leaf = flight.piece.chunk.plan.leafSizeBytes();
        long earliest = missing.end() - Math.min(wanted, flight.unfetchedBytes());
        long edge = Math.max((earliest + leaf - 1) / leaf * leaf, missing.offset() / leaf * leaf + 2 * leaf);
        return missing.end() - edge;
    }

    private void split(BlockProgress victim, Entrant thief, long tailBytes, boolean isFarBehind) {
        if (!mayBeExtra(victim, thief, victim.piece.chunk.plan.leafSizeBytes(), isFarBehind)) {
            return;
        }
        WantedRange tail = victim.piece.splitAt(victim.piece.missing().end() - tailBytes);
        board.window.add(tail);
        long start = victim.block.range().offset();
        ByteRange kept = new ByteRange(start, victim.piece.missing().end() - start);
        board.commands.add(new DeliveryCommand.Shorten(victim.block, kept));
        BlockProgress stolen = board.issue(tail, List.of(thief), BlockRule.SOLE, IssueReason.STEAL, 0);
        stolen.madeUpForBytesPerSecond = board.usual(victim).bytesPerSecond();
    }

    private void duplicate(BlockProgress victim, Entrant thief, boolean isFarBehind) {
        long bytes = victim.piece.missing().length();
        if (mayBeExtra(victim, thief, bytes, isFarBehind)) {
            board.issue(victim.piece, List.of(thief), BlockRule.SOLE, IssueReason.DUPLICATE, bytes);
        }
    }

    /** Who is far behind may have what is kept for the late; otherwise only what is to spare. */
    private boolean mayBeExtra(BlockProgress late, Entrant thief, long bytes, boolean isFarBehind) {
        StoreId other = late.piece.chunk.store(thief.replica());
        boolean allowed = isFarBehind
                ? board.governor.spend(late.store(), other, bytes)
                : board.governor.spendSpare(late.store(), other, bytes);
        if (!allowed) {
            late.quietUntilNanos = board.nowNanos + mode.extras().floorNanos();
        }
        return allowed;
    }
}
