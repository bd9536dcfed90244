package io.cloudmw.core.delivery;

import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The states of a block's entrants: which of them have lost, stopped, or reported beside the one that runs the block.
 */
final class EntrantStates {
    /** A racer's report about its attempt, with the time it was heard. */
    record Report(long atNanos, AttemptStage stage, long bytes) {}

    /** Reports kept of an entrant that does not run the block: its start, its first bytes, and the latest. */
    private static final int REPORTS_KEPT = 3;

    private final Block block;
    private final Map<RacerId, RacerId> lost = new HashMap<>();
    private final Set<RacerId> stopped = new HashSet<>();
    /** Reports of entrants that do not run the block: two may have started a tied block at once. */
    private final Map<RacerId, List<Report>> reportsBeside = new HashMap<>();

    private long lostAtNanos;

    EntrantStates(Block block) {
        this.block = block;
    }

    @Nullable
    Entrant find(@Nullable RacerId racer) {
        for (Entrant entrant : block.entrants()) {
            if (entrant.racer().equals(racer)) {
                return entrant;
            }
        }
        return null;
    }

    /** The entrant that has the block: the one that runs it, or else the first that may still run it. */
    Entrant holder(@Nullable RacerId runner) {
        Entrant running = find(runner);
        if (running != null) {
            return running;
        }
        for (Entrant entrant : block.entrants()) {
            if (isIn(entrant.racer())) {
                return entrant;
            }
        }
        return block.entrants().get(0);
    }

    void lost(RacerId racer, RacerId winner, long nowNanos) {
        lost.put(racer, winner);
        lostAtNanos = nowNanos;
    }

    /** Returns whether an entrant has named this racer as the winner. */
    boolean isNamedWinner(RacerId racer) {
        return lost.containsValue(racer);
    }

    boolean hasNamedWinner() {
        return !lost.isEmpty();
    }

    /** The winners that entrants have named. */
    Iterable<RacerId> namedWinners() {
        return lost.values();
    }

    /** The time when an entrant last named a winner, or waiting for that winner began anew. */
    long lostAtNanos() {
        return lostAtNanos;
    }

    void waitAnewForWinner(long nowNanos) {
        lostAtNanos = nowNanos;
    }

    /** For a cut-through block: the entrant will not deliver it. */
    void stopped(RacerId racer) {
        stopped.add(racer);
    }

    /** For a cut-through block: whether the entrant has not left it. */
    boolean isIn(RacerId racer) {
        return !stopped.contains(racer) && !lost.containsKey(racer);
    }

    /** For a cut-through block: whether exactly one entrant has not left it. */
    boolean isOneLeft() {
        int left = 0;
        for (Entrant entrant : block.entrants()) {
            left += isIn(entrant.racer()) ? 1 : 0;
        }
        return left == 1;
    }

    /**
     * Notes the report of an entrant that does not run the block, in case the one that does leaves it to that
     * entrant.
     */
    void noteBeside(RacerId racer, AttemptStage stage, long bytes, long nowNanos) {
        if (stage == AttemptStage.STOPPED) {
            reportsBeside.remove(racer);
            return;
        }
        List<Report> reports = reportsBeside.computeIfAbsent(racer, absent -> new ArrayList<>(REPORTS_KEPT));
        if (reports.isEmpty() || bytes > 0) {
            if (reports.size() == REPORTS_KEPT) {
                reports.remove(REPORTS_KEPT - 1);
            }
            reports.add(new Report(nowNanos, stage, bytes));
        }
    }

    /** The reports of an entrant while another ran the block; empty: it made none. */
    List<Report> reportsBeside(RacerId racer) {
        return reportsBeside.getOrDefault(racer, List.of());
    }
}
