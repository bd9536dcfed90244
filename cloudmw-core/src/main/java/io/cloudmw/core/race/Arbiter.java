package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.DeliveryCommand.Abandon;
import io.cloudmw.core.race.DeliveryCommand.Accept;
import io.cloudmw.core.race.DeliveryCommand.Acknowledge;
import io.cloudmw.core.race.DeliveryCommand.Complete;
import io.cloudmw.core.race.DeliveryCommand.Fail;
import io.cloudmw.core.race.DeliveryCommand.Issue;
import io.cloudmw.core.race.DeliveryCommand.RaceLocally;
import io.cloudmw.core.race.DeliveryCommand.Refuse;
import io.cloudmw.core.race.DeliveryCommand.Withdraw;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** The state behind {@link Delivery}. */
final class Arbiter implements DeliveryInput {
    private final DeliveryPolicy policy;
    private final Roster roster;
    private final Deque<Wanted> planned = new ArrayDeque<>();
    /** Within the window and not yet delivered, by sequence. Some wait there for the in-process racers, unissued. */
    private final TreeMap<Long, Wanted> open = new TreeMap<>();

    private final Map<BlockId, Wanted> issued = new HashMap<>();
    private final Map<Long, Relay> relays = new TreeMap<>();

    private final List<DeliveryCommand> commands = new ArrayList<>();
    private long nextSequence;
    /** Since when the lowest of the open ones is the lowest. */
    private long lowestSinceNanos;

    private long lastChunk = -1;
    private int nextBlock;
    private boolean planEnded;
    private boolean over;
    private long nowNanos;

    Arbiter(DeliveryPolicy policy, Set<RacerId> racers) {
        this.policy = policy;
        this.roster = new Roster(racers);
    }

    List<DeliveryCommand> on(DeliveryEvent event, long now) {
        nowNanos = now;
        commands.clear();
        if (!over) {
            event.tell(this);
            fillWindow();
            acceptRelays();
            if (!over && planEnded && planned.isEmpty() && open.isEmpty()) {
                over = true;
                commands.add(new Complete());
            }
        }
        return List.copyOf(commands);
    }

    boolean wantsPlan() {
        return !over && !planEnded && planned.size() < policy.windowBlocks();
    }

    OptionalLong wakeAtNanos() {
        if (over) {
            return OptionalLong.empty();
        }
        LongStream stalls = relays.values().stream()
                .filter(relay -> relay.accepted && !relay.withheld)
                .mapToLong(relay -> relay.movedAtNanos + policy.stallNanos());
        LongStream silences = open.values().stream().filter(this::isJudged).mapToLong(this::dueNanos);
        return LongStream.concat(stalls, silences).reduce((one, other) -> one - other < 0 ? one : other);
    }

    int remembered() {
        return planned.size() + open.size();
    }

    @Override
    public void planned(DeliveryEvent.Planned chunk) {
        if (!wantsPlan()) {
            throw new IllegalStateException("chunk " + chunk.chunkIndex() + " planned although no more are wanted");
        }
        if (chunk.chunkIndex() <= lastChunk) {
            throw new IllegalArgumentException(
                    "chunkIndex: " + chunk.chunkIndex() + " (expected: after " + lastChunk + ")");
        }
        lastChunk = chunk.chunkIndex();
        if (!chunk.range().isEmpty()) {
            planned.add(new Wanted(chunk, nextSequence++));
        }
    }

    @Override
    public void planEnded() {
        planEnded = true;
    }

    @Override
    public void offered(long number, BlockId block, RacerId racer) {
        if (relays.containsKey(number)) {
            return;
        }
        roster.heard(racer, nowNanos);
        Wanted wanted = issued.get(block);
        if (wanted == null || wanted.relay != null || !roster.isLive(racer) || !wanted.isEntrant(racer)) {
            commands.add(new Refuse(number));
            return;
        }
        Relay relay = new Relay(number, racer, wanted);
        wanted.relay = relay;
        relays.put(number, relay);
    }

    @Override
    public void leafDelivered(long number) {
        Relay relay = relays.get(number);
        if (relay == null || !relay.accepted) {
            return;
        }
        relay.movedAtNanos = nowNanos;
        roster.heard(relay.racer, nowNanos);
        Wanted wanted = relay.wanted;
        Block block = wanted.block();
        if (wanted.leafDelivered() && block != null) {
            relays.remove(number);
            issued.remove(block.id());
            if (wanted.sequence == open.firstKey()) {
                lowestSinceNanos = nowNanos;
            }
            open.remove(wanted.sequence);
            commands.add(new Acknowledge(block));
        }
    }

    @Override
    public void creditWithheld(long number) {
        Relay relay = relays.get(number);
        if (relay != null) {
            relay.withheld = true;
        }
    }

    @Override
    public void creditGranted(long number) {
        Relay relay = relays.get(number);
        if (relay != null) {
            relay.withheld = false;
            relay.movedAtNanos = nowNanos;
        }
    }

    @Override
    public void relayFailed(long number, ErrorCode code) {
        Relay relay = relays.get(number);
        if (relay != null) {
            relay.wanted.avoid(relay.racer, code);
            reissue(relay.wanted);
        }
    }

    @Override
    public void leafCorrupt(long number) {
        Relay relay = relays.get(number);
        if (relay != null) {
            commands.add(new Refuse(number));
            relay.wanted.avoid(relay.racer, ErrorCode.REPLICA_CORRUPT);
            reissue(relay.wanted);
        }
    }

    @Override
    public void progressed(RacerId racer) {
        roster.heard(racer, nowNanos);
    }

    @Override
    public void lost(BlockId block, RacerId racer, RacerId winner) {
        roster.heard(racer, nowNanos);
        Wanted wanted = issued.get(block);
        if (wanted != null && wanted.isEntrant(racer) && wanted.isEntrant(winner) && !racer.equals(winner)) {
            wanted.lost(racer, winner, nowNanos);
            reissueIfHopeless(wanted);
        }
    }

    @Override
    public void forfeited(BlockId block, RacerId racer, ErrorCode code) {
        roster.heard(racer, nowNanos);
        Wanted wanted = issued.get(block);
        if (wanted != null && wanted.isEntrant(racer)) {
            wanted.forfeit(racer, code);
            reissueIfHopeless(wanted);
        }
    }

    @Override
    public void racerGone(RacerId racer) {
        if (roster.remove(racer)) {
            dropRelaysOf(racer);
            for (Wanted wanted : List.copyOf(open.values())) {
                reissueIfHopeless(wanted);
            }
        }
    }

    @Override
    public void localRacersReady(List<RacerId> racers) {
        roster.localReady(racers);
        for (Wanted wanted : List.copyOf(open.values())) {
            if (wanted.block() == null && !over) {
                issue(wanted);
            }
        }
    }

    @Override
    public void timePassed() {
        for (Relay relay : List.copyOf(relays.values())) {
            if (relays.containsKey(relay.number) && relay.isStalled(nowNanos, policy)) {
                giveUp(relay);
            }
        }
        for (Wanted wanted : List.copyOf(open.values())) {
            Block block = wanted.block();
            if (block != null && isJudged(wanted) && nowNanos - dueNanos(wanted) >= 0) {
                giveUp(wanted, block);
            }
        }
    }

    /**
     * Whether a block that nobody offers has a time limit: when a winner was named, and when it is the lowest, the one
     * no racer may pause for. The entrants of any other may be silent because they hold all they may.
     */
    private boolean isJudged(Wanted wanted) {
        return wanted.block() != null
                && wanted.relay == null
                && (wanted.hasNamedWinner() || wanted.sequence == open.firstKey());
    }

    private long dueNanos(Wanted wanted) {
        return wanted.hasNamedWinner()
                ? wanted.offerDueNanos(policy)
                : wanted.signDueNanos(roster, lowestSinceNanos, policy);
    }

    private void giveUp(Relay relay) {
        Wanted wanted = relay.wanted;
        wanted.avoid(relay.racer, ErrorCode.DEADLINE_EXCEEDED);
        if (roster.isHelper(relay.racer)) {
            abandon(relay.racer);
        } else {
            commands.add(new Refuse(relay.number));
            reissue(wanted);
        }
    }

    /** Nobody showed that this block is coming: who kept silent altogether is given up, the rest avoided. */
    private void giveUp(Wanted wanted, Block block) {
        for (RacerId racer : wanted.awaited(roster)) {
            wanted.avoid(racer, ErrorCode.DEADLINE_EXCEEDED);
            long silent = nowNanos - roster.heardAt(racer, nowNanos - policy.stallNanos());
            if (roster.isHelper(racer) && silent >= policy.stallNanos()) {
                abandon(racer);
            }
        }
        if (issued.containsKey(block.id())) {
            reissue(wanted);
        }
    }

    private void abandon(RacerId racer) {
        if (!over) {
            commands.add(new Abandon(racer, ErrorCode.DEADLINE_EXCEEDED));
            racerGone(racer);
        }
    }

    private void dropRelaysOf(RacerId racer) {
        for (Relay relay : List.copyOf(relays.values())) {
            if (relay.racer.equals(racer)) {
                commands.add(new Refuse(relay.number));
                reissue(relay.wanted);
            }
        }
    }

    private void reissueIfHopeless(Wanted wanted) {
        if (wanted.isHopeless(roster)) {
            reissue(wanted);
        }
    }

    private void reissue(Wanted wanted) {
        Block block = wanted.block();
        if (over || block == null) {
            return;
        }
        Relay relay = wanted.relay;
        if (relay != null) {
            relays.remove(relay.number);
        }
        issued.remove(block.id());
        commands.add(new Withdraw(block));
        if (wanted.withdraw() > policy.maxReissues()) {
            fail(wanted);
        } else {
            issue(wanted);
        }
    }

    /** Issues what is missing to whoever is left, or lets it wait for the in-process racers. */
    private void issue(Wanted wanted) {
        List<Entrant> entrants = roster.entrantsFor(wanted);
        if (entrants.isEmpty() && roster.askLocal()) {
            commands.add(new RaceLocally());
        }
        if (entrants.isEmpty() && !roster.isLocalReady()) {
            return;
        }
        if (entrants.isEmpty() && wanted.forgive()) {
            entrants = roster.entrantsFor(wanted);
        }
        if (entrants.isEmpty()) {
            fail(wanted);
            return;
        }
        Block block = wanted.issue(new BlockId(nextBlock++), entrants, nowNanos);
        issued.put(block.id(), wanted);
        commands.add(new Issue(block));
    }

    private void fail(Wanted wanted) {
        over = true;
        commands.add(new Fail(wanted.chunkIndex(), wanted.lastCode()));
    }

    private void fillWindow() {
        for (Wanted next = planned.peek(); next != null && !over && isWithinWindow(next); next = planned.peek()) {
            planned.remove();
            if (open.isEmpty()) {
                lowestSinceNanos = nowNanos;
            }
            open.put(next.sequence, next);
            issue(next);
        }
    }

    private boolean isWithinWindow(Wanted wanted) {
        return open.isEmpty() || wanted.sequence < open.firstKey() + policy.windowBlocks();
    }

    private void acceptRelays() {
        if (over || open.isEmpty()) {
            return;
        }
        Iterable<Wanted> turn = policy.inOrder() ? List.of(open.firstEntry().getValue()) : open.values();
        for (Wanted wanted : turn) {
            Relay relay = wanted.relay;
            Block block = wanted.block();
            if (relay != null && block != null && !relay.accepted) {
                relay.accepted = true;
                relay.movedAtNanos = nowNanos;
                commands.add(new Accept(relay.number, block));
            }
        }
    }
}
