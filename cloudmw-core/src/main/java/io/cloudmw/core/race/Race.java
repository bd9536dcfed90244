package io.cloudmw.core.race;

import io.cloudmw.core.delivery.Delivery;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The racer's side of the competition: what a helper, or a client racing in-process, does about the blocks the
 * destination wants.
 *
 * <p><b>Algorithm</b> ([1] CloudMW §4.1, the cooperative competition protocol). Of k helpers the i-th starts each
 * block with its entrant's replica, one attempt at a time, in the order of the file. Who holds a whole verified block
 * <em>claims</em> it: a completion notice to every other entrant. An entrant that hears a claim for a block it is still
 * racing for, or has not started, cancels its attempt, <em>yields</em>, tells the destination who won, and starts its
 * next block at once. A claimant whose every fellow entrant has yielded, forfeited, gone, or claimed from a worse place
 * is the winner; if two hold the block, the static rule on (round, rank) decides, the round being the block's id: the
 * entrants in the order of their rank, turned by one place per round. The worse one discards and yields. A claimant
 * goes on with its next block without waiting for answers, and the winner relays while that attempt runs.
 *
 * <p><b>Differs: cut-through.</b> A block with a sole entrant ({@link BlockRule#SOLE}) is settled before it starts: its
 * relay begins with its attempt, and when that fails it is forfeited at once, because the destination has its first
 * leaves and chooses who brings the rest. So is a <em>tied</em> one ({@link BlockRule#TIED}), from the moment a racer
 * starts it and tells the others, who drop it from their queues ([2] J. Dean, L. A. Barroso, The Tail at Scale, 2013).
 * A second copy waits until the first has started or failed: a racer that has nothing else to do claims the block, and
 * who comes first for it and has not started leaves it by a yield. So no two start it, where [2] lets both begin that are
 * idle at once; only a peer that left the claim unanswered for too long may have. Of two that did the static rule keeps
 * one, and the worse one cancels.
 *
 * <p><b>Differs:</b> the paper says nothing of failures. Here a failed attempt is followed by one at the block's next
 * replica in rotation ((replica + 1) mod k): each once, or twice when the failure says that the same replica may
 * answer; after the last the racer forfeits. A peer that leaves a claim unanswered for
 * {@link RacePolicy#yieldTimeoutNanos()} counts as having yielded, and is not waited for again until it is heard; if
 * that makes two winners, the destination ({@link Delivery}) takes one relay and refuses the other. A racer that holds
 * {@link RacePolicy#maxHeldBlocks()} undelivered blocks pauses, except for a block that comes before all of them. The
 * barrier between rounds is not there: a racer that lost starts the next block while others still finish theirs.
 *
 * <p>When a winner dies, nothing revives here: the destination issues what is missing as a new block.
 *
 * <p>Pure and confined to one thread at a time: no I/O, no clock. Memory is bounded: at most
 * {@value Rounds#MAX_CONTESTS} open blocks (more are forfeited at once), and claims for at most
 * {@value Rounds#MAX_EARLY} blocks that a peer was issued before this racer. A claim for a block that is not open here
 * is answered with a yield at once.
 */
public final class Race {
    private final Rounds rounds;

    /**
     * @param local the racers this instance decides for: a helper's own rank, or every rank when a client races
     *     in-process. Claims between local racers are settled inside and give no commands
     */
    public Race(RacePolicy policy, Set<RacerId> local) {
        this(policy, local, TieBreak.BY_ROUND_AND_RANK);
    }

    /** For tests that break the rule on purpose. */
    Race(RacePolicy policy, Set<RacerId> local, TieBreak tieBreak) {
        this.rounds = new Rounds(policy, local, tieBreak);
    }

    /**
     * Takes one event and says what to do. Events about blocks, attempts or peers that are over or unknown are
     * ignored, and so are repeated ones.
     */
    public List<RaceCommand> on(RaceEvent event, long nowNanos) {
        return rounds.on(event, nowNanos);
    }

    /** When {@link RaceEvent.TimePassed} should next be sent, on the same clock; empty: not needed. */
    public OptionalLong wakeAtNanos() {
        return rounds.wakeAtNanos();
    }

    /** Blocks this instance keeps anything about. */
    public int remembered() {
        return rounds.remembered();
    }
}
