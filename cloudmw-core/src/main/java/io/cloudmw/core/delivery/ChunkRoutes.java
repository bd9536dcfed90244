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

/** A planned chunk with the routes to its replicas and the failures of each. */
final class ChunkRoutes {
    /** A route to a replica: through a helper, or, for {@link SpeedEstimates#CLIENT}, without one. */
    private record Route(int helper, int replica) {}

    private static final int TRIES_BY_ONE_ROUTE = 2;

    private final ChunkPlan plan;
    private ErrorCode lastCode = ErrorCode.HELPER_UNAVAILABLE;
    private final Set<RacerId> forfeited = new HashSet<>();
    /** Racers not asked again unless no other is left: a relay of theirs failed, or they were silent. */
    private final Set<RacerId> avoided = new HashSet<>();

    private final Map<Route, Integer> failures = new HashMap<>();
    private final Map<Integer, Integer> failuresAtReplica = new HashMap<>();
    private final Map<Integer, Integer> failuresOfHelper = new HashMap<>();
    private Set<Integer> barred;
    private List<Integer> readable;

    ChunkRoutes(ChunkPlan plan) {
        this.plan = plan;
        Set<Integer> bad = IntStream.range(0, plan.replicas())
                .filter(replica -> plan.bad().contains(plan.stores().get(replica)))
                .boxed()
                .collect(Collectors.toUnmodifiableSet());
        barred = bad.size() == plan.replicas() ? Set.of() : bad;
        readable = readable(plan, barred);
    }

    private static List<Integer> readable(ChunkPlan plan, Set<Integer> barred) {
        return IntStream.range(0, plan.replicas())
                .filter(replica -> !barred.contains(replica))
                .boxed()
                .toList();
    }

    ChunkPlan plan() {
        return plan;
    }

    /** Replicas that must not be read now: those known to be bad, until no other is left. */
    Set<Integer> barred() {
        return barred;
    }

    /** The replicas that may be read, in their order; never empty. */
    List<Integer> readable() {
        return readable;
    }

    /** Lets every racer read the replicas known to be bad, as a last resort; false when they may be read already. */
    boolean unbar() {
        if (barred.isEmpty()) {
            return false;
        }
        barred = Set.of();
        readable = readable(plan, barred);
        forfeited.clear();
        avoided.clear();
        return true;
    }

    /** The chunk's last failure. */
    ErrorCode lastCode() {
        return lastCode;
    }

    StoreId store(int replica) {
        return plan.stores().get(replica);
    }

    /** Returns whether the plan means this helper for this replica. */
    boolean isPlanned(int helper, int replica) {
        for (Entrant entrant : plan.entrants()) {
            if (entrant.racer().rank() == helper && entrant.replica() == replica) {
                return true;
            }
        }
        return false;
    }

    // ---- races: each racer tries every replica by itself

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

    /** Gives the avoided racers that did not forfeit another chance; false when there is none. */
    boolean forgive() {
        boolean any = avoided.stream().anyMatch(racer -> !forfeited.contains(racer));
        avoided.clear();
        return any;
    }

    // ---- single attempts: the destination chooses the replica

    void failed(int helper, int replica, ErrorCode code) {
        lastCode = code;
        boolean forGood = code == ErrorCode.REPLICA_MISSING || code.verdict() == RetryVerdict.NEVER;
        failures.merge(new Route(helper, replica), forGood ? TRIES_BY_ONE_ROUTE : 1, Integer::sum);
        failuresAtReplica.merge(replica, 1, Integer::sum);
        failuresOfHelper.merge(helper, 1, Integer::sum);
    }

    boolean hasFailed() {
        return !failures.isEmpty();
    }

    boolean isSpent(int helper, int replica) {
        return failures.getOrDefault(new Route(helper, replica), 0) >= TRIES_BY_ONE_ROUTE;
    }

    /** Returns whether the helper has a route left to any replica that may be read. */
    boolean hasRoute(int helper) {
        for (int replica : readable) {
            if (!isSpent(helper, replica)) {
                return true;
            }
        }
        return false;
    }

    /** The failures that speak against a route: by it, of its helper, and at its replica. */
    int doubts(int helper, int replica) {
        return failures.getOrDefault(new Route(helper, replica), 0)
                + failuresOfHelper.getOrDefault(helper, 0)
                + failuresAtReplica.getOrDefault(replica, 0);
    }
}
