package io.cloudmw.core.testing;

import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The invariants of a race, numbered as in the project's design: 1 only verified bytes are handed on, 2 each exactly
 * once, 3 the transfer ends, 4 losers stop, 5 redundancy stays within its budget, 6 memory is bounded. A violation is
 * an {@link AssertionError}.
 */
final class RaceInvariants {
    private static final int TRACED = Integer.getInteger("cloudmw.simulation.trace", 60);

    private record Traced(long nanos, String who, Object what) {
        @Override
        public String toString() {
            return String.format("%14d %-8s %s", nanos, who, what);
        }
    }

    /** The cost of one block so far. */
    private static final class Bill {
        final Block block;
        final boolean extra;
        int started;
        int failed;
        long fetchedBytes;
        long failedBytes;
        int delivers;

        Bill(Block block, boolean extra) {
            this.block = block;
            this.extra = extra;
        }
    }

    private final SimulationSettings settings;
    private final boolean faultless;
    private final VirtualClock clock;
    private final List<SimulatedRacer> helpers;
    private final BitSet handedOn = new BitSet();
    private final Map<BlockId, Bill> bills = new HashMap<>();
    private final Map<SimulatedRacer, Set<BlockId>> closed = new HashMap<>();
    /** Blocks of which a racer heard that another yielded or forfeited them. */
    private final Map<SimulatedRacer, Set<BlockId>> left = new HashMap<>();

    private final Map<SimulatedRacer, Set<RacerId>> gone = new HashMap<>();
    private final Set<SimulatedRacer> abandoned = new HashSet<>();
    private final Deque<Traced> trace = new ArrayDeque<>();
    private int failures;
    private int refusals;
    private int extraRequests;
    private int usefulRequests;
    private int withdrawals;
    /** The blocks that replace them are issued later. */
    private final List<Block> withdrawn = new ArrayList<>();
    /** Blocks given to another racer because none had begun them, as far as the destination knew. */
    private final Set<BlockId> takenBack = new HashSet<>();
    /** Requests for them that the destination heard of too late: extras that were not allowed, and that count. */
    private int crossed;

    RaceInvariants(SimulationSettings settings, VirtualClock clock, List<SimulatedRacer> helpers) {
        this.settings = settings;
        this.faultless = settings.faults().equals(SimulatedFaults.NONE);
        this.clock = clock;
        this.helpers = helpers;
    }

    void received(SimulatedRacer racer, RaceEvent event) {
        trace(racer.ranks.toString(), event);
        if (event instanceof RaceEvent.RivalClaimed claimed) {
            hears(racer, claimed.rival(), claimed.block());
        } else if (event instanceof RaceEvent.RivalStarted started) {
            hears(racer, started.rival(), started.block());
        } else if (event instanceof RaceEvent.RivalYielded yielded) {
            leftTo(racer).add(yielded.block());
        } else if (event instanceof RaceEvent.RivalForfeited forfeited) {
            leftTo(racer).add(forfeited.block());
        } else if (event instanceof RaceEvent.RivalGone departed) {
            goneAt(racer).add(departed.rival());
        } else if (event instanceof RaceEvent.Withdrawn withdrawn) {
            closedAt(racer).add(withdrawn.block());
        } else if (event instanceof RaceEvent.Delivered delivered) {
            closedAt(racer).add(delivered.block());
        } else if (event instanceof RaceEvent.Failed failed) {
            failures++;
            bill(failed.attempt().block()).failed++;
        }
    }

    /**
     * Notes that a racer hears whose the block is: it neither starts nor continues it, unless it is tied and started
     * here too.
     */
    private void hears(SimulatedRacer racer, RacerId peer, BlockId block) {
        boolean tied = bill(block).block.rule() == BlockRule.TIED;
        boolean starts = racer.active.keySet().stream()
                .anyMatch(attempt -> attempt.block().equals(block));
        // A process that is gone has won nothing, although its messages may still arrive.
        if (!goneAt(racer).contains(peer) && !(tied && starts)) {
            closedAt(racer).add(block);
        }
    }

    void commanded(SimulatedRacer racer, RaceCommand command) {
        trace(racer.ranks + " ->", command);
        if (command instanceof RaceCommand.Start start) {
            started(racer, start);
        } else if (command instanceof RaceCommand.Discard discard) {
            check(racer.held.containsKey(discard.attempt()), 6, "discards what is not held: " + discard.attempt());
        } else if (command instanceof RaceCommand.Deliver deliver) {
            Bill bill = bill(deliver.block());
            bill.delivers++;
            boolean cutThrough = bill.block.isCutThrough();
            boolean there = cutThrough
                    ? racer.active.containsKey(deliver.attempt())
                    : racer.held.containsKey(deliver.attempt());
            check(there, 1, "delivers what is not there: " + deliver.attempt());
            check(!faultless || bill.delivers <= 1, 4, "two winners without a fault: " + deliver.block());
            clock.after(SimulatedLinks.MAX_DELAY_NANOS, () -> losersStopped(racer, deliver));
        }
    }

    private void started(SimulatedRacer racer, RaceCommand.Start start) {
        Block block = start.block();
        AttemptId attempt = start.attempt();
        check(!closedAt(racer).contains(block.id()), 4, "starts after the winner is known: " + attempt);
        checkSecondCopy(racer, start);
        Bill bill = bill(block.id());
        bill.started++;
        usefulRequests += bill.extra ? 0 : 1;
        check(
                bill.started <= block.entrants().size() + (block.isCutThrough() ? 0 : bill.failed),
                5,
                "attempt " + bill.started + " of " + block.entrants().size() + " entrants and " + bill.failed
                        + " failures at " + block.id());
        long running = racer.active.keySet().stream()
                .filter(other -> other.racer().equals(attempt.racer()))
                .count();
        check(running == 0, 6, "two attempts at a time: " + attempt);
        List<Block> held = held(racer, attempt.racer());
        boolean first = held.stream().allMatch(other -> isBefore(block, other));
        check(
                held.size() < settings.race().maxHeldBlocks() || first,
                6,
                "starts " + attempt + " while holding " + held.size());
    }

    /**
     * A second copy waits until the first was left to it, or failed; it does not wait for a racer that cannot be
     * heard.
     */
    private void checkSecondCopy(SimulatedRacer racer, RaceCommand.Start start) {
        RacerId first = start.block().entrants().get(0).racer();
        if (start.block().rule() != BlockRule.TIED
                || first.equals(start.attempt().racer())) {
            return;
        }
        boolean left = leftTo(racer).contains(start.block().id());
        boolean silent = goneAt(racer).contains(first) || isOutOfReach(racer, first);
        check(left || silent, 4, "a second copy starts before the first has started or failed: " + start.attempt());
    }

    /** Returns whether the racer may have been unable to hear the other. */
    private boolean isOutOfReach(SimulatedRacer racer, RacerId other) {
        return racer.wasPaused()
                || helpers.stream()
                        .filter(helper -> helper.ranks.contains(other))
                        .anyMatch(helper -> helper.dead || helper.wasPaused() || abandoned.contains(helper));
    }

    private static List<Block> held(SimulatedRacer racer, RacerId rank) {
        return racer.held.values().stream()
                .filter(fetch -> fetch.attempt().racer().equals(rank))
                .map(SimulatedFetch::block)
                .toList();
    }

    private static boolean isBefore(Block one, Block other) {
        return one.chunkIndex() != other.chunkIndex()
                ? one.chunkIndex() < other.chunkIndex()
                : one.range().offset() <= other.range().offset();
    }

    /** A message delay after there is a winner, every racer that can hear of it has stopped. */
    private void losersStopped(SimulatedRacer winner, RaceCommand.Deliver deliver) {
        BlockId id = deliver.block();
        boolean tied = bill(id).block.rule() == BlockRule.TIED;
        if (tied && (winner.wasPaused() || !winner.active.containsKey(deliver.attempt()))) {
            return; // It lost to one that started at the same time, and may not have heard yet; or it has ended.
        }
        List<RacerId> entrants =
                bill(id).block.entrants().stream().map(Entrant::racer).toList();
        for (SimulatedRacer helper : helpers) {
            boolean hears = helper != winner
                    && !helper.dead
                    && !helper.wasPaused()
                    && helper.ranks.stream().anyMatch(entrants::contains)
                    && Collections.disjoint(goneAt(winner), helper.ranks)
                    && Collections.disjoint(goneAt(helper), winner.ranks);
            if (hears) {
                check(tied || closedAt(helper).contains(id), 4, helper.ranks + " has not heard who won " + id);
                boolean fetches = helper.active.values().stream()
                        .filter(fetch -> fetch.attempt().block().equals(id))
                        .anyMatch(fetch -> !tied || isHeardByNow(fetch));
                check(!fetches, 4, helper.ranks + " still fetches " + id);
            }
        }
    }

    private boolean isHeardByNow(SimulatedFetch fetch) {
        return clock.nanos() - fetch.startedAtNanos() >= SimulatedLinks.MAX_DELAY_NANOS;
    }

    void check(SimulatedRacer racer) {
        for (AttemptId attempt : racer.active.keySet()) {
            check(!closedAt(racer).contains(attempt.block()), 4, "not cancelled at once: " + attempt);
        }
        int window = mostOpen();
        int ranks = racer.ranks.size();
        check(racer.held.size() <= window * ranks, 6, "holds " + racer.held.size() + " blocks");
        check(racer.machine.remembered() <= 2 * window, 6, "remembers " + racer.machine.remembered());
    }

    void fetched(SimulatedFetch fetch, long bytes) {
        Bill bill = bill(fetch.attempt().block());
        bill.fetchedBytes += bytes;
        if (fetch.failure() != null) {
            bill.failedBytes += bytes;
        }
        long budget = bill.block.range().length() * bill.block.entrants().size() + bill.failedBytes;
        check(bill.fetchedBytes <= budget, 5, bill.fetchedBytes + " bytes fetched for " + bill.block.id());
    }

    void received(DeliveryEvent event) {
        trace("client", event);
        if (event instanceof DeliveryEvent.Attempted attempt
                && attempt.stage() == AttemptStage.STARTED
                && takenBack.contains(attempt.block())) {
            crossed++;
        }
    }

    void commanded(DeliveryCommand command) {
        trace("client ->", command);
        if (command instanceof DeliveryCommand.Issue issue) {
            boolean extra = issue.reason().isExtra();
            withdrawn.stream()
                    .filter(before -> isSame(before, issue.block()))
                    .filter(before -> issue.reason() == IssueReason.PLANNED)
                    .forEach(before -> takenBack.add(before.id()));
            withdrawn.removeIf(before -> isSame(before, issue.block()));
            Bill before = bills.put(issue.block().id(), new Bill(issue.block(), extra));
            check(before == null, 2, "issued twice: " + issue.block().id());
            check(!faultless || issue.reason() != IssueReason.RETRY, 5, "a re-issue without a fault: " + issue);
            extraRequests += extra ? 1 : 0;
            double allowed =
                    settings.budget().burstRequests() + settings.budget().share() * usefulRequests;
            check(
                    !extra || extraRequests + crossed <= allowed,
                    5,
                    extraRequests + " extra requests and " + crossed + " that crossed, " + allowed + " allowed");
        } else if (command instanceof DeliveryCommand.Withdraw withdraw) {
            withdrawals++;
            withdrawn.add(withdraw.block());
            clock.after(SimulatedLinks.MAX_DELAY_NANOS, () -> stopped(withdraw.block()));
        } else if (command instanceof DeliveryCommand.Refuse) {
            refusals++;
            boolean extras = settings.budget().burstRequests() > 0 || !takenBack.isEmpty();
            check(!faultless || extras, 2, "a relay is refused without a fault or an extra: " + command);
        }
    }

    private static boolean isSame(Block one, Block other) {
        return one.chunkIndex() == other.chunkIndex()
                && one.range().offset() == other.range().offset();
    }

    /** A message delay after the destination withdrew a block, no racer that hears of it fetches it. */
    private void stopped(Block block) {
        for (SimulatedRacer helper : helpers) {
            boolean hears = !helper.dead && !helper.wasPaused() && !abandoned.contains(helper);
            boolean fetches = helper.active.keySet().stream()
                    .anyMatch(attempt -> attempt.block().equals(block.id()));
            check(!hears || !fetches, 4, helper.ranks + " still fetches " + block.id() + ", which was withdrawn");
        }
    }

    void abandoned(SimulatedRacer racer) {
        check(abandoned.add(racer), 3, racer.ranks + " abandoned twice");
        check(racer.dead || racer.wasPaused(), 3, racer.ranks + " abandoned in good health");
    }

    void handedOn(SimulatedRelay relay, int leaf, long token) {
        long chunk = relay.block.chunkIndex();
        int position = (int) (chunk * settings.leavesPerChunk() + leaf);
        check(relay.accepted, 1, "handed on from a relay that was not accepted: " + relay.number);
        check(token == SimulatedTransfer.token(chunk, leaf), 1, "a wrong leaf: " + position);
        check(!handedOn.get(position), 2, "handed on twice: leaf " + leaf + " of chunk " + chunk);
        handedOn.set(position);
        check(
                !settings.inOrder() || handedOn.nextClearBit(0) == position + 1,
                2,
                "out of order: leaf " + leaf + " of chunk " + chunk);
    }

    /** The most open blocks: the window, and the split ranges. */
    private int mostOpen() {
        return settings.delivery().mode().blocks().windowBlocks() + extraRequests;
    }

    void check(SimulatedDestination destination) {
        int limit = 2 * mostOpen();
        check(destination.machine.remembered() <= limit, 6, "remembers " + destination.machine.remembered());
    }

    void ended(boolean over, boolean complete, long steps) {
        check(over, 3, "no end after " + steps + " steps");
        check(complete || settings.safe() == SimulationSettings.Safe.NOBODY, 3, "failed with a live path");
        int leaves = settings.chunks() * settings.leavesPerChunk();
        check(!complete || handedOn.cardinality() == leaves, 2, "complete with " + handedOn.cardinality() + " leaves");
        if (faultless && !settings.delivery().mode().lineup().isRace()) {
            checkWaste(leaves);
        }
    }

    /**
     * Without faults nothing is fetched twice but what the budget allows, and a leaf or two where a block was split.
     */
    private void checkWaste(int leaves) {
        long whole = (long) leaves * SimulationSettings.LEAF_BYTES;
        long fetched =
                bills.values().stream().mapToLong(bill -> bill.fetchedBytes).sum();
        double allowed = settings.budget().burstBytes() + settings.budget().share() * whole;
        // The bytes that two racers fetch within one message delay, when both started at once or one was told to stop.
        long twice = bills.values().stream().filter(bill -> bill.started > 1).count();
        long spilt = (twice + withdrawals + extraRequests) * 2 * SimulatedLinks.MAX_DELAY_NANOS / 25;
        check(
                fetched - whole <= allowed + spilt,
                5,
                (fetched - whole) + " bytes fetched twice, " + allowed + " allowed");
    }

    SimulationResult result(boolean complete, long steps, boolean racedLocally) {
        long fetched =
                bills.values().stream().mapToLong(bill -> bill.fetchedBytes).sum();
        return new SimulationResult(
                complete,
                clock.nanos(),
                steps,
                bills.size(),
                bills.values().stream().mapToInt(bill -> bill.started).sum(),
                failures,
                bills.values().stream().mapToInt(bill -> bill.delivers).sum(),
                refusals,
                fetched - (long) handedOn.cardinality() * SimulationSettings.LEAF_BYTES,
                abandoned.size(),
                racedLocally);
    }

    String trace() {
        StringBuilder text = new StringBuilder();
        trace.forEach(traced -> text.append(traced).append('\n'));
        return text.toString();
    }

    private void trace(String who, Object what) {
        trace.add(new Traced(clock.nanos(), who, what));
        if (trace.size() > TRACED) {
            trace.remove();
        }
    }

    private Bill bill(BlockId block) {
        Bill bill = bills.get(block);
        if (bill == null) {
            throw new AssertionError("a racer acts on " + block + ", which was never issued");
        }
        return bill;
    }

    private Set<BlockId> closedAt(SimulatedRacer racer) {
        return closed.computeIfAbsent(racer, unused -> new HashSet<>());
    }

    private Set<BlockId> leftTo(SimulatedRacer racer) {
        return left.computeIfAbsent(racer, unused -> new HashSet<>());
    }

    private Set<RacerId> goneAt(SimulatedRacer racer) {
        return gone.computeIfAbsent(racer, unused -> new HashSet<>());
    }

    private static void check(boolean holds, int invariant, String otherwise) {
        if (!holds) {
            throw new AssertionError("invariant " + invariant + " violated: " + otherwise);
        }
    }
}
