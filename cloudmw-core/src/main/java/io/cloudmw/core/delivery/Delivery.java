package io.cloudmw.core.delivery;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The destination's side of the competition: which blocks are wanted of whom, whose relay is taken, and what is done
 * when a racer is slow or gone. The destination decides the mode ({@link ModePolicy}), because it alone hears how every
 * attempt comes on; and it is the last arbiter, so a block is delivered once even where the racers did not agree on its
 * winner.
 *
 * <p><b>Races</b> ([1] CloudMW §4.1). Chunk after chunk is issued as a block to its k entrants; the winner of each
 * transfers it to the destination, overlapped with the race for the next ones. A window of blocks is open ahead of the
 * lowest one not yet delivered. A block has one relay at a time: the first offered by one of its entrants; any other is
 * refused. It is accepted at once, or, in byte order, when every earlier byte was delivered; until then it has only
 * the credit that those before it leave ({@link DeliveryCommand.Prepare}). When the last leaf arrived the block is acknowledged, so that nobody keeps it.
 *
 * <p><b>Differs: single attempts</b> (modes with one entrant per block). Chunks are cut into blocks; every free lane is
 * issued the next one, from the replica whose store is expected to be through soonest, given what waits there already.
 * Its leaves are relayed as they come. A block that has to wait in its lane may be <em>tied</em>: issued to a lane of
 * another helper too; the first to start has it. An attempt that is late gets a second one beside it, for what is
 * missing, at another store; when that one shows its first leaf, the one that will be through sooner goes on and the
 * other is withdrawn. Leaves delivered stay delivered, so nothing is handed on twice. When nothing is left to issue, an
 * idle lane takes the end of a block under way, as much as makes both end together, or, when there is nothing to split,
 * tries it a second time; what waits behind another block of its lane just changes hands, but not what may have started.
 * The {@link RedundancyBudget} must consent to everything of which bytes or requests may be wasted. One block in a hundred is read
 * from the slowest store, where one is clearly slower than the one chosen, so that it is noticed when it has recovered; it
 * is late there as soon as it would be at the store chosen. The last block of all is read there besides.
 *
 * <p>An attempt is late when its first byte takes longer than 95 of 100 usually do at its store, and then when its next
 * leaf does, or it falls behind the throughput that 95 of 100 usually reach; never while the destination withholds
 * credit, and never when the destination's other relays are as slow: then it is the destination that is slow.
 *
 * <p>A block of which a helper says nothing, neither that it started nor that it waits for room, is late when its turn came
 * as long ago as a first byte there may take, and the first word of a block that helper starts at once four times
 * over; never sooner than the 200 ms helpers have to say that they wait, never later than the mode's cap. Its store is not
 * blamed: another helper makes up for it, by any store. Who said nothing at all meanwhile is issued nothing more until it is
 * heard, or for the length of that cap, and what waits there behind other blocks is taken back for the others.
 *
 * <p>Who waits for room at its helper is not late, and its store is not blamed: a block that its helper cannot start for
 * as long as a first byte may take goes, once, to an idle lane of another. Otherwise the destination waits as long as the
 * helper says so; the helper gives up after a time of its own, and the block has failed there.
 *
 * <p><b>Differs:</b> the paper has no failures. Here, whenever a block can no longer arrive as it was issued, it is
 * withdrawn and the leaves still missing are issued as a new block to those that are left:
 * <ul>
 *   <li>its relay breaks, or a leaf of it is corrupt: that racer is avoided for the rest of this chunk;
 *   <li>a relay of what its racer holds has credit and delivers nothing for {@link DeliveryPolicy.Patience#stallNanos()},
 *       or a winner named by others offers nothing for that long: the helper is abandoned (a named winner only if it
 *       said nothing at all), which is how a paused process looks from here; so is one that fetches and gives no sign of
 *       life for that long;
 *   <li>it is the lowest, nobody offered it, and none of its entrants gave a sign of life for
 *       {@link DeliveryPolicy.Patience#unofferedNanos()}: they are abandoned. Only the lowest, because racers may pause
 *       for any other while they hold what they may. Of a single attempt, whose helper would say that it started or
 *       waits, {@link DeliveryPolicy.Patience#stallNanos()} is enough, once the helper was heard at all;
 *   <li>its winner is gone, as reported by those who lost to it, or by its relay;
 *   <li>every entrant that is left has forfeited.
 * </ul>
 * A racer that forfeited a chunk is not asked for it again; of single attempts, a way (helper and replica) that failed
 * twice, or for good, is not tried again, and the ways least doubtful are tried first. When no helper is left for a
 * chunk, the client's in-process racers are asked for, once, and issued that chunk; what is late there is made up for
 * there. When they are spent too, racers that were only avoided are forgiven and tried again. When there are none, or a range was issued again
 * {@link DeliveryPolicy.Patience#maxReissues()} times without a leaf arriving, replicas known to be bad when the chunk was
 * planned are all that is left: until then nobody reads them, from then on everybody may. When they bring nothing either,
 * the transfer fails with the chunk's last failure.
 *
 * <p>Pure and confined to one thread at a time: no I/O, no clock. What is open is bounded by {@link ModePolicy.Blocks}.
 */
public final class Delivery {
    private final Arbiter arbiter;

    /**
     * @param lanes the racers of the transfer's helpers, as {@link ModePolicy#lanes} has them
     * @param reachable helpers that can be reached, each by any racer of its; may be empty
     * @param speeds what is known of the stores
     * @param governor of this client; shared by its transfers
     */
    public Delivery(
            DeliveryPolicy policy,
            LaneLayout lanes,
            Set<RacerId> reachable,
            SpeedEstimates speeds,
            RedundancyBudget governor) {
        this(policy, lanes, reachable, speeds, governor, BlockOwners.NONE);
    }

    /**
     * As the other, where some helpers are switches.
     *
     * @param homes to whom blocks belong: others are asked only when those are gone or have failed by every way; races do
     *     not look at it
     */
    public Delivery(
            DeliveryPolicy policy,
            LaneLayout lanes,
            Set<RacerId> reachable,
            SpeedEstimates speeds,
            RedundancyBudget governor,
            BlockOwners homes) {
        this.arbiter = new Arbiter(policy, new LiveRacers(policy.mode(), lanes, reachable, homes), speeds, governor);
    }

    /**
     * Takes one event and says what to do. Events about what is over or unknown are ignored; after
     * {@link DeliveryCommand.Complete} or {@link DeliveryCommand.Fail} every event is.
     *
     * @throws IllegalStateException when a chunk is planned although {@link #wantsPlan()} is false
     * @throws IllegalArgumentException when chunks of a stream are not planned in the order of their index
     */
    public List<DeliveryCommand> on(DeliveryEvent event, long nowNanos) {
        return arbiter.on(event, nowNanos);
    }

    /** Whether the next chunk should be planned now (back-pressure for the reader of the manifest). */
    public boolean wantsPlan() {
        return arbiter.wantsPlan();
    }

    /** When {@link DeliveryEvent.TimePassed} should next be sent, on the same clock; empty: not needed. */
    public OptionalLong wakeAtNanos() {
        return arbiter.wakeAtNanos();
    }

    /** What was issued besides the plan so far, and what of it won. */
    public IssueCounts tally() {
        return arbiter.tally();
    }

    /**
     * The destination wants nothing more, whether all of it came or not: what extras under way were allowed to fetch and
     * have not goes back to the governor. Every event is ignored from now on. Idempotent.
     */
    public void close() {
        arbiter.close();
    }

    /** Chunks and blocks this instance keeps anything about. */
    public int remembered() {
        return arbiter.remembered();
    }
}
