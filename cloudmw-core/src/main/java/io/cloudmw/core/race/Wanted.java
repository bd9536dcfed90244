package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is still to be delivered of one planned chunk, through all the blocks it is issued as. */
final class Wanted {
    private final DeliveryEvent.Planned plan;
    /** Position among the planned chunks. */
    final long sequence;

    private ByteRange missing;
    private int reissues;
    private ErrorCode lastCode = ErrorCode.HELPER_UNAVAILABLE;
    private final Set<RacerId> forfeited = new HashSet<>();
    /** Racers not asked again unless nobody else is left: a relay of theirs failed, or they kept silent. */
    private final Set<RacerId> avoided = new HashSet<>();

    /** As it is issued now; null: it is not. */
    private @Nullable Block block;

    private final Map<RacerId, RacerId> lost = new HashMap<>();
    private long issuedAtNanos;
    private long lostAtNanos;

    /** Accepted, or waiting for its turn. */
    @Nullable
    Relay relay;

    Wanted(DeliveryEvent.Planned plan, long sequence) {
        this.plan = plan;
        this.sequence = sequence;
        this.missing = plan.range();
    }

    long chunkIndex() {
        return plan.chunkIndex();
    }

    int replicas() {
        return plan.replicas();
    }

    List<Entrant> plannedEntrants() {
        return plan.entrants();
    }

    ErrorCode lastCode() {
        return lastCode;
    }

    @Nullable
    Block block() {
        return block;
    }

    Block issue(BlockId id, List<Entrant> entrants, long nowNanos) {
        Block issued = new Block(id, plan.chunkIndex(), missing, plan.replicas(), entrants);
        block = issued;
        issuedAtNanos = nowNanos;
        lost.clear();
        return issued;
    }

    /** No longer issued; counts how often that happened since a leaf arrived. */
    int withdraw() {
        block = null;
        relay = null;
        lost.clear();
        return ++reissues;
    }

    /** The next leaf arrived; true when it was the last. */
    boolean leafDelivered() {
        long leaf = Math.min(plan.leafSizeBytes(), missing.length());
        missing = new ByteRange(missing.offset() + leaf, missing.length() - leaf);
        reissues = 0;
        return missing.isEmpty();
    }

    boolean isSpent(RacerId racer) {
        return forfeited.contains(racer) || avoided.contains(racer);
    }

    void forfeit(RacerId racer, ErrorCode code) {
        forfeited.add(racer);
        lastCode = code;
    }

    void avoid(RacerId racer, ErrorCode code) {
        avoided.add(racer);
        lastCode = code;
    }

    /** Gives those that did not forfeit another chance; false when there is none of them. */
    boolean forgive() {
        boolean any = avoided.stream().anyMatch(racer -> !forfeited.contains(racer));
        avoided.clear();
        return any;
    }

    void lost(RacerId racer, RacerId winner, long nowNanos) {
        lost.put(racer, winner);
        lostAtNanos = nowNanos;
    }

    boolean isEntrant(RacerId racer) {
        return block != null
                && block.entrants().stream().anyMatch(entrant -> entrant.racer().equals(racer));
    }

    /** Whether the block cannot arrive as it is issued: its winner is gone, or all who are left forfeited. */
    boolean isHopeless(Roster roster) {
        if (block == null || relay != null) {
            return false;
        }
        return lost.values().stream().anyMatch(winner -> !roster.isLive(winner))
                || block.entrants().stream()
                        .map(Entrant::racer)
                        .allMatch(racer -> forfeited.contains(racer) || !roster.isLive(racer));
    }

    /**
     * Whose move it is while no relay was offered: the winners named by others; before there is one, the entrants
     * still racing.
     */
    List<RacerId> awaited(Roster roster) {
        if (block == null) {
            return List.of();
        }
        return block.entrants().stream()
                .map(Entrant::racer)
                .filter(racer -> roster.isLive(racer) && !forfeited.contains(racer) && !lost.containsKey(racer))
                .filter(racer -> lost.isEmpty() || lost.containsValue(racer))
                .toList();
    }

    /** Whether an entrant named a winner. */
    boolean hasNamedWinner() {
        return !lost.isEmpty();
    }

    /** When a named winner must have offered its relay. */
    long offerDueNanos(DeliveryPolicy policy) {
        return lostAtNanos + policy.stallNanos();
    }

    /**
     * When entrants still racing must have given a sign of life.
     *
     * @param sinceNanos silence before this does not count
     */
    long signDueNanos(Roster roster, long sinceNanos, DeliveryPolicy policy) {
        long heard = sinceNanos - issuedAtNanos < 0 ? issuedAtNanos : sinceNanos;
        for (RacerId racer : awaited(roster)) {
            heard = roster.heardAt(racer, heard);
        }
        return heard + policy.unofferedNanos();
    }
}
