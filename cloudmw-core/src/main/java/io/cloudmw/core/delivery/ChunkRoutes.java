package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A chunk as planned, and what went wrong with it so far. */
final class ChunkRoutes {
    /** One way to a replica: through a helper, or, {@link SpeedEstimates#CLIENT}, without one. */
    private record Way(int helper, int replica) {}

    private static final int TRIES_BY_ONE_WAY = 2;

    final DeliveryEvent.Planned plan;
    private ErrorCode lastCode = ErrorCode.HELPER_UNAVAILABLE;
    private final Set<RacerId> forfeited = new HashSet<>();
    /** Racers not asked again unless nobody else is left: a relay of theirs failed, or they kept silent. */
    private final Set<RacerId> avoided = new HashSet<>();

    private final Map<Way, Integer> failures = new HashMap<>();
    private final Map<Integer, Integer> failuresAtReplica = new HashMap<>();
    private final Map<Integer, Integer> failuresOfHelper = new HashMap<>();
    /** Replicas that are not to be read: those known to be bad, until nothing else is left. */
    private Set<Integer> barred;

    private List<Integer> readable;

    ChunkRoutes(DeliveryEvent.Planned plan) {
        this.plan = plan;
        Set<Integer> bad = IntStream.range(0, plan.replicas())
                .filter(replica -> plan.bad().contains(plan.stores().get(replica)))
                .boxed()
                .collect(Collectors.toUnmodifiableSet());
        barred = bad.size() == plan.replicas() ? Set.of() : bad;
        readable = readable(plan, barred);
    }

    private static List<Integer> readable(DeliveryEvent.Planned plan, Set<Integer> barred) {
        return IntStream.range(0, plan.replicas())
                .filter(replica -> !barred.contains(replica))
                .boxed()
                .toList();
    }

    /** Replicas that are not to be read now. */
    Set<Integer> barred() {
        return barred;
    }

    /** The others, in their order; never none. */
    List<Integer> readable() {
        return readable;
    }

    /** Nothing else is left: what is known to be bad may be read too, by every racer; false when it may already. */
    boolean resort() {
        if (barred.isEmpty()) {
            return false;
        }
        barred = Set.of();
        readable = readable(plan, barred);
        forfeited.clear();
        avoided.clear();
        return true;
    }

    ErrorCode lastCode() {
        return lastCode;
    }

    StoreId store(int replica) {
        return plan.stores().get(replica);
    }

    /** Whether the plan means this helper for this replica. */
    boolean isPlanned(int helper, int replica) {
        for (Entrant entrant : plan.entrants()) {
            if (entrant.racer().rank() == helper && entrant.replica() == replica) {
                return true;
            }
        }
        return false;
    }

    // ---- of racers that race: each tries every replica by itself

    boolean isSpent(RacerId racer) {
        return forfeited.contains(racer) || avoided.contains(racer);
    }

    boolean hasForfeited(RacerId racer) {
        return forfeited.contains(racer);
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

    // ---- of single attempts: the destination chooses the replica

    void failed(int helper, int replica, ErrorCode code) {
        lastCode = code;
        boolean forGood = code == ErrorCode.REPLICA_MISSING || code.verdict() == RetryVerdict.NEVER;
        failures.merge(new Way(helper, replica), forGood ? TRIES_BY_ONE_WAY : 1, Integer::sum);
        failuresAtReplica.merge(replica, 1, Integer::sum);
        failuresOfHelper.merge(helper, 1, Integer::sum);
    }

    boolean hasFailed() {
        return !failures.isEmpty();
    }

    boolean isSpent(int helper, int replica) {
        return failures.getOrDefault(new Way(helper, replica), 0) >= TRIES_BY_ONE_WAY;
    }

    /** Whether the helper has a way left to any replica that may be read. */
    boolean hasWay(int helper) {
        for (int replica : readable) {
            if (!isSpent(helper, replica)) {
                return true;
            }
        }
        return false;
    }

    /** How much speaks against a way: what failed by it, by this helper, and at this replica. */
    int doubts(int helper, int replica) {
        return failures.getOrDefault(new Way(helper, replica), 0)
                + failuresOfHelper.getOrDefault(helper, 0)
                + failuresAtReplica.getOrDefault(replica, 0);
    }
}
