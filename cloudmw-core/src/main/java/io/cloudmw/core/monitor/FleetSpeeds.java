package io.cloudmw.core.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What all helpers see of all stores, put together from what they report. A report replaces the last one of the same
 * reader, store and size, and ages from when it came. Safe for any thread.
 *
 * <p>Bounded: at most so many reports, of which the one that came longest ago is forgotten first; a report takes 1 to 4
 * KB.
 */
public final class FleetSpeeds {
    /** Reports kept by a coordinator: 32 MB at the very most, mostly a quarter of it. */
    public static final int DEFAULT_REPORTS = 8192;

    private record Place(HelperId reader, SpeedKey key) {}

    private record Report(Speed speed, long heardNanos) {}

    private final Ticker ticker;
    private final int maxReports;

    @GuardedBy("this")
    private final LinkedHashMap<Place, Report> reports = new LinkedHashMap<>();

    public FleetSpeeds(Ticker ticker, int maxReports) {
        if (maxReports < 1) {
            throw new IllegalArgumentException("maxReports: " + maxReports + " (expected: >= 1)");
        }
        this.ticker = ticker;
        this.maxReports = maxReports;
    }

    /** Takes what a helper reports of some keys; what it said of others stays. */
    public synchronized void report(HelperId reader, Map<SpeedKey, Speed> speeds) {
        long now = ticker.nanos();
        speeds.forEach((key, speed) -> {
            Place place = new Place(reader, key);
            reports.remove(place);
            if (reports.size() >= maxReports) {
                reports.remove(reports.keySet().iterator().next());
            }
            reports.put(place, new Report(speed, now));
        });
    }

    /** Every report, aged to now. */
    public synchronized List<ReaderSpeed> all() {
        return aged(place -> true);
    }

    /** Each store's speed over all readers and sizes. */
    public Map<StoreId, Speed> stores() {
        Map<StoreId, Speed> stores = new HashMap<>();
        for (ReaderSpeed row : all()) {
            stores.merge(row.key().store(), row.speed(), Speed::plus);
        }
        return stores;
    }

    /** Each helper's speed over all stores and sizes. */
    public Map<HelperId, Speed> readers() {
        Map<HelperId, Speed> readers = new HashMap<>();
        for (ReaderSpeed row : all()) {
            readers.merge(row.reader(), row.speed(), Speed::plus);
        }
        return readers;
    }

    /**
     * What to expect of these stores: an entry for each reader, store and size of which enough is known, and one without
     * a reader for each store and size.
     *
     * @param readers those of interest; what others know goes into the entries without a reader
     */
    public List<SpeedEntry> expected(Collection<HelperId> readers, Collection<StoreId> stores) {
        List<ReaderSpeed> rows;
        synchronized (this) {
            rows = aged(place -> stores.contains(place.key().store()));
        }
        List<SpeedEntry> entries = new ArrayList<>();
        Map<SpeedKey, Speed> anybody = new LinkedHashMap<>();
        for (ReaderSpeed row : rows) {
            anybody.merge(row.key(), row.speed(), Speed::plus);
            if (readers.contains(row.reader())) {
                add(entries, Optional.of(row.reader()), row.key(), row.speed());
            }
        }
        anybody.forEach((key, speed) -> add(entries, Optional.empty(), key, speed));
        return entries;
    }

    private static void add(List<SpeedEntry> entries, Optional<HelperId> reader, SpeedKey key, Speed speed) {
        ExpectedSpeed expected = ExpectedSpeed.of(speed);
        if (expected.isKnown()) {
            entries.add(new SpeedEntry(reader, key, expected));
        }
    }

    @GuardedBy("this")
    private List<ReaderSpeed> aged(Predicate<Place> wanted) {
        long now = ticker.nanos();
        List<ReaderSpeed> rows = new ArrayList<>();
        reports.forEach((place, report) -> {
            if (wanted.test(place)) {
                rows.add(new ReaderSpeed(
                        place.reader(), place.key(), report.speed().aged(now - report.heardNanos())));
            }
        });
        return rows;
    }
}
