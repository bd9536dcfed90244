package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.RaceCommand.Claim;
import io.cloudmw.core.race.RaceCommand.Deliver;
import io.cloudmw.core.race.RaceCommand.Forfeit;
import io.cloudmw.core.race.RaceCommand.ReportForfeited;
import io.cloudmw.core.race.RaceCommand.ReportLost;
import io.cloudmw.core.race.RaceCommand.TellStarted;
import io.cloudmw.core.race.RaceCommand.Yield;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The state behind {@link Race}. */
final class Rounds implements RaceInput {
    /** Blocks a destination may have open at one racer; what is beyond is forfeited at once. */
    static final int MAX_CONTESTS = 256;

    /** Blocks not yet issued here whose claims are remembered; the ones issued soonest are kept. */
    static final int MAX_EARLY = 64;

    private final RacePolicy policy;
    private final TieBreak tieBreak;
    private final Set<RacerId> local;
    private final Map<BlockId, BlockRace> contests = new TreeMap<>();
    private final Map<RacerId, RaceEntry> racing = new HashMap<>();
    private final TreeMap<BlockId, Set<RacerId>> early = new TreeMap<>();
    private final Set<RacerId> gone = new HashSet<>();
    /** Peers that left a claim unanswered and have not been heard since: nobody waits for them twice. */
    private final Set<RacerId> silent = new HashSet<>();

    private final List<RaceCommand> commands = new ArrayList<>();
    private @Nullable BlockId latest;
    private long nowNanos;

    Rounds(RacePolicy policy, Set<RacerId> local, TieBreak tieBreak) {
        this.policy = policy;
        this.local = new TreeSet<>(local);
        this.tieBreak = tieBreak;
    }

    List<RaceCommand> on(RaceEvent event, long now) {
        nowNanos = now;
        commands.clear();
        event.tell(this);
        settle();
        local.forEach(this::startNext);
        return List.copyOf(commands);
    }

    OptionalLong wakeAtNanos() {
        return contests.values().stream()
                .flatMap(contest -> contest.claiming().stream())
                .mapToLong(run -> run.claimedAtNanos + policy.yieldTimeoutNanos())
                .reduce((one, other) -> one - other < 0 ? one : other);
    }

    int remembered() {
        return contests.size() + early.size();
    }

    @Override
    public void issued(Block block) {
        if (!isAhead(block.id())) {
            return;
        }
        latest = block.id();
        Set<RacerId> claimants = early.getOrDefault(block.id(), Set.of());
        early.headMap(block.id(), true).clear();
        BlockRace contest = new BlockRace(block, local);
        if (contest.runs.isEmpty()) {
            return;
        }
        if (contests.size() >= MAX_CONTESTS) {
            contest.runs.forEach(run -> commands.add(new ReportForfeited(block.id(), run.racer, ErrorCode.OVERLOADED)));
            return;
        }
        contests.put(block.id(), contest);
        for (RacerId claimant : claimants) {
            if (contest.claimed(claimant)) {
                contest.runs.forEach(run -> concede(run, claimant));
            }
        }
    }

    @Override
    public void over(BlockId block) {
        early.remove(block);
        BlockRace contest = contests.remove(block);
        if (contest != null) {
            for (RaceEntry run : contest.runs) {
                racing.remove(run.racer, run);
                add(run.drop());
            }
        }
    }

    @Override
    public void shortened(BlockId block, long length) {
        BlockRace contest = contests.get(block);
        if (contest != null) {
            contest.length = length;
            for (RaceEntry run : contest.runs) {
                if (run.state == RaceEntry.State.RACING) {
                    commands.add(new RaceCommand.Shorten(run.attempt(), length));
                }
            }
        }
    }

    @Override
    public void progressed(AttemptId attempt, long bytes) {
        // Rounds neither hedge nor duplicate: how far an attempt is changes nothing.
    }

    @Override
    public void finished(AttemptId attempt) {
        BlockRace contest = contests.get(attempt.block());
        RaceEntry run = contest == null ? null : racingRun(attempt);
        if (contest == null || run == null) {
            return;
        }
        racing.remove(run.racer);
        if (contest.block.isCutThrough()) {
            run.state = RaceEntry.State.WON;
            return;
        }
        run.state = RaceEntry.State.HOLDING;
        run.claimedAtNanos = nowNanos;
        for (RacerId peer : contest.peers) {
            if (!gone.contains(peer)) {
                commands.add(new Claim(contest.block.id(), run.racer, peer));
            }
        }
        for (RaceEntry other : contest.runs) {
            if (other != run) {
                concede(other, run.racer);
            }
        }
    }

    @Override
    public void failed(AttemptId attempt, ErrorCode code) {
        BlockRace contest = contests.get(attempt.block());
        RaceEntry run = contest == null ? null : racingRun(attempt);
        if (contest == null || run == null) {
            return;
        }
        racing.remove(run.racer);
        run.failed(code);
        if (run.state == RaceEntry.State.FORFEITED) {
            for (RacerId peer : contest.peers) {
                if (!gone.contains(peer)) {
                    commands.add(new Forfeit(contest.block.id(), run.racer, peer));
                }
            }
            commands.add(new ReportForfeited(contest.block.id(), run.racer, code));
        }
    }

    /** An attempt that was told to stop is not racing any more; one that stopped by itself has failed. */
    @Override
    public void cancelled(AttemptId attempt) {
        failed(attempt, ErrorCode.CANCELLED);
    }

    @Override
    public void peerClaimed(RacerId peer, BlockId block) {
        if (!isHeard(peer)) {
            return;
        }
        BlockRace contest = contests.get(block);
        if (contest == null) {
            // Over here, or not issued yet: either way nothing of it is or will be under way.
            local.forEach(self -> commands.add(new Yield(block, self, peer)));
            if (isAhead(block)) {
                remember(peer, block);
            }
        } else if (contest.block.rule() == BlockRule.TIED) {
            asked(contest, peer);
        } else if (contest.claimed(peer)) {
            contest.runs.forEach(run -> answer(run, peer));
        }
    }

    /** Who has not started leaves the block to the peer; of two that have, the worse one does. */
    @Override
    public void peerStarted(RacerId peer, BlockId block) {
        if (!isHeard(peer)) {
            return;
        }
        BlockRace contest = contests.get(block);
        if (contest == null) {
            if (isAhead(block)) {
                remember(peer, block);
            }
        } else if (contest.block.rule() == BlockRule.TIED && contest.claimed(peer)) {
            for (RaceEntry run : contest.runs) {
                if (!isBegun(run)
                        || (run.state == RaceEntry.State.RACING && tieBreak.beats(run.block, peer, run.racer))) {
                    concede(run, peer);
                }
            }
        }
    }

    @Override
    public void peerOut(RacerId peer, BlockId block) {
        BlockRace contest = contests.get(block);
        if (isHeard(peer) && contest != null) {
            contest.out(peer);
        }
    }

    @Override
    public void peerGone(RacerId peer) {
        if (!local.contains(peer)) {
            gone.add(peer);
            silent.remove(peer);
        }
    }

    @Override
    public void timePassed() {
        for (BlockRace contest : contests.values()) {
            contest.claiming()
                    .filter(run -> nowNanos - run.claimedAtNanos >= policy.yieldTimeoutNanos())
                    .ifPresent(run -> silent.addAll(awaited(contest, run)));
        }
    }

    /** A peer has nothing else to do than this tied block. Who has started it has said so, and does not answer. */
    private void asked(BlockRace contest, RacerId peer) {
        boolean begun = contest.runs.stream().anyMatch(Rounds::isBegun);
        if (contest.peers.contains(peer) && !begun) {
            for (RaceEntry run : contest.runs) {
                concede(run, peer);
                commands.add(new Yield(contest.block.id(), run.racer, peer));
            }
        }
    }

    private static boolean isBegun(RaceEntry run) {
        return run.state == RaceEntry.State.RACING || run.holds();
    }

    /** Answers a new claim of a peer. A winner does not: the destination decides between it and a late claimant. */
    private void answer(RaceEntry run, RacerId peer) {
        if (run.holds() && (run.state == RaceEntry.State.WON || !tieBreak.beats(run.block, peer, run.racer))) {
            return;
        }
        boolean news = leave(run, peer);
        commands.add(new Yield(run.block.id(), run.racer, peer));
        if (news) {
            commands.add(new ReportLost(run.block.id(), run.racer, peer));
        }
    }

    /** Leaves the block to a racer that needs no answer. */
    private void concede(RaceEntry run, RacerId winner) {
        if (leave(run, winner)) {
            commands.add(new ReportLost(run.block.id(), run.racer, winner));
        }
    }

    /** Ends the run for {@code winner}'s sake; false when it forfeited, or left the block to a better one before. */
    private boolean leave(RaceEntry run, RacerId winner) {
        RacerId known = run.winner;
        boolean better = known == null || tieBreak.beats(run.block, winner, known);
        if (run.state == RaceEntry.State.FORFEITED || !better) {
            return false;
        }
        racing.remove(run.racer, run);
        add(run.lose(winner));
        return true;
    }

    /** Claimants that no peer has to answer any more win; a tied block is theirs to start. */
    private void settle() {
        for (BlockRace contest : contests.values()) {
            contest.claiming().filter(run -> awaited(contest, run).isEmpty()).ifPresent(run -> {
                if (run.state == RaceEntry.State.ASKING) {
                    run.state = RaceEntry.State.WAITING;
                } else {
                    run.state = RaceEntry.State.WON;
                    commands.add(new Deliver(contest.block.id(), run.attempt()));
                }
            });
        }
    }

    private List<RacerId> awaited(BlockRace contest, RaceEntry claimant) {
        return contest.unanswered(claimant.racer, tieBreak).stream()
                .filter(peer -> !gone.contains(peer) && !silent.contains(peer))
                .toList();
    }

    /** The racer's next attempt: in the order of the file, but second copies only when there is nothing else. */
    private void startNext(RacerId racer) {
        if (racing.containsKey(racer)) {
            return;
        }
        RaceEntry own = null;
        RaceEntry second = null;
        RaceEntry firstHeld = null;
        int held = 0;
        boolean asks = false;
        for (BlockRace contest : contests.values()) {
            for (RaceEntry run : contest.runs) {
                if (!run.racer.equals(racer)) {
                    continue;
                }
                if (run.state == RaceEntry.State.WAITING && mustAsk(contest, run)) {
                    second = earlier(second, run);
                } else if (run.state == RaceEntry.State.WAITING) {
                    own = earlier(own, run);
                } else if (run.holds()) {
                    firstHeld = earlier(firstHeld, run);
                    held++;
                }
                asks |= run.state == RaceEntry.State.ASKING;
            }
        }
        if (held >= policy.maxHeldBlocks()) {
            own = before(own, firstHeld);
            second = before(second, firstHeld);
        }
        if (own != null) {
            start(own);
        } else if (second != null && !asks) {
            ask(second);
        }
    }

    /** Whether it is a second copy of a tied block, and whoever comes first may still start it. */
    private boolean mustAsk(BlockRace contest, RaceEntry run) {
        return run.isSecondCopy() && !awaited(contest, run).isEmpty();
    }

    private void ask(RaceEntry run) {
        run.state = RaceEntry.State.ASKING;
        run.claimedAtNanos = nowNanos;
        BlockRace contest = contests.get(run.block.id());
        if (contest != null) {
            awaited(contest, run).forEach(peer -> commands.add(new Claim(run.block.id(), run.racer, peer)));
        }
    }

    private void start(RaceEntry run) {
        racing.put(run.racer, run);
        commands.add(run.start());
        BlockRace contest = contests.get(run.block.id());
        if (run.block.rule() == BlockRule.TIED && contest != null) {
            for (RacerId peer : contest.peers) {
                if (!gone.contains(peer)) {
                    commands.add(new TellStarted(run.block.id(), run.racer, peer));
                }
            }
        }
        if (contest != null && contest.length < run.block.range().length()) {
            commands.add(new RaceCommand.Shorten(run.attempt(), contest.length));
        }
        if (run.block.isCutThrough()) {
            commands.add(new Deliver(run.block.id(), run.attempt()));
        }
    }

    private static @Nullable RaceEntry before(@Nullable RaceEntry run, @Nullable RaceEntry held) {
        return run == null || held == null || BlockRace.isBefore(run.block, held.block) ? run : null;
    }

    private static RaceEntry earlier(@Nullable RaceEntry one, RaceEntry other) {
        return one == null || BlockRace.isBefore(other.block, one.block) ? other : one;
    }

    private @Nullable RaceEntry racingRun(AttemptId attempt) {
        RaceEntry run = racing.get(attempt.racer());
        return run != null && run.isRacing(attempt) ? run : null;
    }

    private boolean isAhead(BlockId block) {
        return latest == null || block.compareTo(latest) > 0;
    }

    /** Notes a sign of life; false for whom nobody listens to. */
    private boolean isHeard(RacerId peer) {
        silent.remove(peer);
        return !gone.contains(peer) && !local.contains(peer);
    }

    private void remember(RacerId peer, BlockId block) {
        early.computeIfAbsent(block, unused -> new LinkedHashSet<>()).add(peer);
        if (early.size() > MAX_EARLY) {
            early.pollLastEntry();
        }
    }

    private void add(@Nullable RaceCommand command) {
        if (command != null) {
            commands.add(command);
        }
    }
}
