package io.cloudmw.core.race;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The destination's side of the competition: which blocks are wanted of whom, whose relay is taken, and what is done
 * when a racer is gone. The destination is the last arbiter, so a block is delivered once even where the racers did not
 * agree on its winner.
 *
 * <p><b>Algorithm</b> ([1] CloudMW §4.1). Chunk after chunk is issued as a block to its k entrants; the winner of each
 * transfers it to the destination, overlapped with the race for the next ones. A window of blocks is open ahead of the
 * lowest one not yet delivered. A block has one relay at a time: the first offered by one of its entrants; any other is
 * refused. It is accepted at once, or, in byte order, when every earlier byte was delivered; until then it simply has
 * no credit. When the last leaf arrived the block is acknowledged, so that nobody keeps it.
 *
 * <p><b>Differs:</b> the paper has no failures. Here, whenever a block can no longer arrive as it was issued, it is
 * withdrawn and the leaves still missing are issued as a new block, whose entrants are those of the plan that are left:
 * <ul>
 *   <li>its relay breaks, or a leaf of it is corrupt: that racer is avoided for the rest of this chunk;
 *   <li>its accepted relay has credit and delivers nothing for {@link DeliveryPolicy#stallNanos()}, or a winner named
 *       by others offers nothing for that long: the racer is abandoned (a named winner only if it said nothing at all),
 *       which is how a paused process looks from here;
 *   <li>it is the lowest, nobody offered it, and none of its entrants gave a sign of life for
 *       {@link DeliveryPolicy#unofferedNanos()}: they are abandoned. Only the lowest, because racers may pause for any
 *       other while they hold what they may;
 *   <li>its winner is gone, as reported by those who lost to it, or by its relay;
 *   <li>every entrant that is left has forfeited.
 * </ul>
 * A racer that forfeited a chunk is not asked for it again. When no helper is left for a chunk, the client's in-process
 * racers are asked for, once, and issued that chunk (the i-th starts with replica i). When they are spent too, racers
 * that were only avoided are forgiven and tried again; when there are none, or a range was issued again
 * {@link DeliveryPolicy#maxReissues()} times without a leaf arriving, the transfer fails with the chunk's last failure.
 *
 * <p>Pure and confined to one thread at a time: no I/O, no clock. At most {@link DeliveryPolicy#windowBlocks()} blocks
 * are issued, and as many chunks wait planned.
 */
public final class Delivery {
    private final Arbiter arbiter;

    /** @param racers the helpers that can be reached; may be empty */
    public Delivery(DeliveryPolicy policy, Set<RacerId> racers) {
        this.arbiter = new Arbiter(policy, racers);
    }

    /**
     * Takes one event and says what to do. Events about what is over or unknown are ignored; after
     * {@link DeliveryCommand.Complete} or {@link DeliveryCommand.Fail} every event is.
     *
     * @throws IllegalStateException when a chunk is planned although {@link #wantsPlan()} is false
     * @throws IllegalArgumentException when chunks are not planned in the order of their index
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

    /** Chunks this instance keeps anything about. */
    public int remembered() {
        return arbiter.remembered();
    }
}
