package io.cloudmw.coordinator.fleet;

import io.cloudmw.coordinator.catalog.FleetBoard;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.HelperSighting;
import io.cloudmw.core.model.fleet.SightingReport;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tells the other coordinators of a catalog which helpers this one hears, and takes in whom they hear: each time one report is
 * written, in parts, and all are read, however often helpers are heard. No clock is compared with another machine's: a report
 * that has changed since it was read last was written in between. A report that does not change any more is of a
 * coordinator that is dead; after a while it is dropped. Confined to one thread, which it blocks.
 */
public final class FleetExchange {
    private final String name;
    private final FleetBoard board;
    private final HelperRegistry helpers;
    private final Ticker ticker;
    private final long silentNanos;
    private final Map<String, Heard> heard = new HashMap<>();
    private long sequence;
    private int parts = 1;
    private long readNanos;
    private boolean first = true;

    /** Of another coordinator: the sequence of each part, and when one of them was new. */
    private static final class Heard {
        private final Map<Integer, Long> sequences = new HashMap<>();
        private long newNanos;

        Heard(long nowNanos) {
            newNanos = nowNanos;
        }
    }

    /**
     * @param name this coordinator's; no other that runs has it
     * @param silent for so long a coordinator may say nothing before its reports are dropped
     */
    public FleetExchange(String name, FleetBoard board, HelperRegistry helpers, Duration silent, Ticker ticker) {
        this.name = name;
        this.board = board;
        this.helpers = helpers;
        this.silentNanos = silent.toNanos();
        this.ticker = ticker;
    }

    /** Tells and listens once. Of what is there at the first time nobody knows how old it is: it is not believed. */
    public void run() throws CloudMwException {
        publish(helpers.sightings());
        long before = ticker.nanos();
        List<SightingReport> reports = board.reports();
        long after = ticker.nanos();
        for (SightingReport report : reports) {
            if (!report.coordinator().equals(name)) {
                take(report, after);
            }
        }
        heard.keySet()
                .retainAll(reports.stream().map(SightingReport::coordinator).toList());
        dropSilent(after);
        readNanos = before;
        first = false;
        helpers.listened();
    }

    /** A part that is no longer needed is told once more, empty. */
    private void publish(List<HelperSighting> sightings) throws CloudMwException {
        sequence++;
        int needed = Math.max(1, -Math.floorDiv(-sightings.size(), SightingReport.MAX_SIGHTINGS));
        for (int part = 0; part < Math.max(needed, parts); part++) {
            int from = Math.min(sightings.size(), part * SightingReport.MAX_SIGHTINGS);
            int to = Math.min(sightings.size(), from + SightingReport.MAX_SIGHTINGS);
            board.publish(new SightingReport(name, part, sequence, sightings.subList(from, to)));
        }
        parts = needed;
    }

    private void take(SightingReport report, long nowNanos) {
        Heard of = heard.computeIfAbsent(report.coordinator(), unknown -> new Heard(nowNanos));
        Long last = of.sequences.put(report.part(), report.sequence());
        if (last != null && last == report.sequence()) {
            return;
        }
        of.newNanos = nowNanos;
        if (last == null && first) {
            return;
        }
        for (HelperSighting sighting : report.sightings()) {
            long ageNanos = TimeUnit.MILLISECONDS.toNanos(sighting.ageMillis());
            helpers.told(sighting, readNanos - ageNanos, nowNanos - ageNanos);
        }
    }

    private void dropSilent(long nowNanos) throws CloudMwException {
        for (Map.Entry<String, Heard> entry : heard.entrySet()) {
            if (nowNanos - entry.getValue().newNanos > silentNanos) {
                board.withdraw(entry.getKey());
            }
        }
    }

    /** This coordinator says nothing more. */
    public void close() throws CloudMwException {
        board.withdraw(name);
    }
}
