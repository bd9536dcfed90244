package io.cloudmw.core.race;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Who is left to race, as the destination sees it. */
final class Roster {
    private final Set<RacerId> helpers;
    private final Set<RacerId> locals = new TreeSet<>();
    private final Map<RacerId, Long> heardAtNanos = new HashMap<>();
    private boolean localAsked;
    private boolean localReady;

    Roster(Set<RacerId> helpers) {
        this.helpers = new TreeSet<>(helpers);
    }

    boolean isLive(RacerId racer) {
        return helpers.contains(racer) || locals.contains(racer);
    }

    boolean isHelper(RacerId racer) {
        return helpers.contains(racer);
    }

    /** Strikes a racer off, for good; false when it was not on. */
    boolean remove(RacerId racer) {
        heardAtNanos.remove(racer);
        return helpers.remove(racer) || locals.remove(racer);
    }

    /** Notes a sign of life. */
    void heard(RacerId racer, long nowNanos) {
        if (isLive(racer)) {
            heardAtNanos.put(racer, nowNanos);
        }
    }

    /** When the racer was last heard; {@code otherwise} when it never was, or later than that. */
    long heardAt(RacerId racer, long otherwise) {
        Long heard = heardAtNanos.get(racer);
        return heard == null || heard - otherwise < 0 ? otherwise : heard;
    }

    /** True the first time: the in-process racers have to be asked for. */
    boolean askLocal() {
        boolean first = !localAsked;
        localAsked = true;
        return first;
    }

    boolean isLocalReady() {
        return localReady;
    }

    void localReady(Collection<RacerId> racers) {
        if (localAsked && !localReady) {
            localReady = true;
            racers.stream().filter(racer -> !helpers.contains(racer)).forEach(locals::add);
        }
    }

    /**
     * Who may race for {@code wanted}: the helpers its plan names, else any other helper, else the in-process racers
     * (the i-th starts with replica i); never more than it has replicas, never one that was spent on it.
     */
    List<Entrant> entrantsFor(Wanted wanted) {
        List<Entrant> planned = wanted.plannedEntrants().stream()
                .filter(entrant -> helpers.contains(entrant.racer()) && !wanted.isSpent(entrant.racer()))
                .toList();
        if (!planned.isEmpty()) {
            return planned;
        }
        List<Entrant> others = inOrder(helpers, wanted);
        return others.isEmpty() ? inOrder(locals, wanted) : others;
    }

    private static List<Entrant> inOrder(Set<RacerId> racers, Wanted wanted) {
        List<Entrant> entrants = new ArrayList<>();
        for (RacerId racer : racers) {
            if (entrants.size() < wanted.replicas() && !wanted.isSpent(racer)) {
                entrants.add(new Entrant(racer, entrants.size()));
            }
        }
        return entrants;
    }
}
