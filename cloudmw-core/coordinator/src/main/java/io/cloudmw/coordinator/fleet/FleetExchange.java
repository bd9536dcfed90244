package io.cloudmw.coordinator.fleet;

import io.cloudmw.coordinator.catalog.FleetReports;
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
 * The exchange of reports about helpers with the other coordinators of a catalog. Each round writes one report, in
 * parts, and reads all others, however frequent heartbeats are. Clocks of machines are never compared: a report that
 * changed since the last read was written in between. An unchanged report is of a dead coordinator and is dropped after
 * a while. Confined to one thread, which it blocks.
 */
public final class FleetExchange {
    private final String name;
    private final FleetReports board;
    private final HelperRegistry helpers;
    private final Ticker ticker;
    private final long silentNanos;
    private final Map<String, ReportState> heard = new HashMap<>();
    private long sequence;
    private int parts = 1;
    private long readNanos;
    private boolean first = true;

    /** The state of another coordinator: the sequence number of each part, and when one last changed. */
    private static final class ReportState {
        private final Map<Integer, Long> sequences = new HashMap<>();
        private long newNanos;

        ReportState(long nowNanos) {
            newNanos = nowNanos;
        }
    }

    /**
     * @param name the name of this coordinator, unique among the running ones
     * @param silent the silence after which a coordinator's reports are dropped
     */
    public FleetExchange(String name, FleetReports board, HelperRegistry helpers, Duration silent, Ticker ticker) {
        this.name = name;
        this.board = board;
        this.helpers = helpers;
        this.silentNanos = silent.toNanos();
        this.ticker = ticker;
    }

    /** Writes and reads reports once. Reports found in the first round are of unknown age and not trusted. */
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

    /** Writes the parts of the report. A part that is no longer needed is written once more, empty. */
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
        ReportState of = heard.computeIfAbsent(report.coordinator(), unknown -> new ReportState(nowNanos));
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
        for (Map.Entry<String, ReportState> entry : heard.entrySet()) {
            if (nowNanos - entry.getValue().newNanos > silentNanos) {
                board.withdraw(entry.getKey());
            }
        }
    }

    /** Withdraws this coordinator's reports. */
    public void close() throws CloudMwException {
        board.withdraw(name);
    }
}
