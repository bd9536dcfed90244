package io.cloudmw.core.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The speeds of all stores as all helpers see them, from the helpers' reports. A report replaces the last one of the
 * same reader, store and size, and ages from its arrival. Safe for any thread.
 *
 * <p>The figures for plans ({@link #expected}) are computed at most once a second for each store, without holding up
 * reports.
 *
 * <p>Bounded: when there are too many reports, the oldest is dropped; a report takes 1 to 4 KB.
 */
public final class FleetSpeeds {
    /** The most reports of a coordinator: 32 MB at the very most, usually a quarter of it. */
    public static final int DEFAULT_REPORTS = 8192;

    /** The age up to which figures are reused: less than the time between two heartbeats of a helper. */
    static final Duration FRESH = Duration.ofSeconds(1);

    private record ReportKey(HelperId reader, SpeedKey key) {}

    private record Report(ReportKey place, Speed speed, long heardNanos) {
        ReaderSpeed aged(long nowNanos) {
            return new ReaderSpeed(place.reader(), place.key(), speed.aged(nowNanos - heardNanos));
        }
    }

    /** The expected speeds of one store at one moment. */
    private record CachedSpeeds(long atNanos, Map<HelperId, List<SpeedEntry>> readers, List<SpeedEntry> anyReader) {}

    private final Ticker ticker;
    private final int maxReports;

    @GuardedBy("this")
    private final LinkedHashMap<ReportKey, Report> reports = new LinkedHashMap<>();

    /** The reports by store. */
    @GuardedBy("this")
    private final Map<StoreId, Map<ReportKey, Report>> ofStore = new HashMap<>();

    /** Computed without this instance's lock; never more than reports. */
    private final ConcurrentHashMap<StoreId, CachedSpeeds> outlooks = new ConcurrentHashMap<>();

    public FleetSpeeds(Ticker ticker, int maxReports) {
        if (maxReports < 1) {
            throw new IllegalArgumentException("maxReports: " + maxReports + " (expected: >= 1)");
        }
        this.ticker = ticker;
        this.maxReports = maxReports;
    }

    /** Takes a helper's report of some keys; its reports of others stay. */
    public synchronized void report(HelperId reader, Map<SpeedKey, Speed> speeds) {
        long now = ticker.nanos();
        speeds.forEach((key, speed) -> {
            ReportKey place = new ReportKey(reader, key);
            forget(place);
            if (reports.size() >= maxReports) {
                forget(reports.keySet().iterator().next());
            }
            Report report = new Report(place, speed, now);
            reports.put(place, report);
            ofStore.computeIfAbsent(key.store(), absent -> new LinkedHashMap<>())
                    .put(place, report);
        });
    }

    private synchronized void forget(ReportKey place) {
        if (reports.remove(place) != null) {
            ofStore.computeIfPresent(place.key().store(), (store, places) -> {
                places.remove(place);
                return places.isEmpty() ? null : places;
            });
        }
    }

    /** Every report, aged to now. */
    public List<ReaderSpeed> all() {
        List<Report> heard;
        synchronized (this) {
            heard = List.copyOf(reports.values());
        }
        return aged(heard);
    }

    private List<ReaderSpeed> aged(List<Report> heard) {
        long now = ticker.nanos();
        return heard.stream().map(report -> report.aged(now)).toList();
    }

    /** The speeds of {@link #all}, added up by store and by helper. */
    public static Totals totals(List<ReaderSpeed> rows) {
        Map<StoreId, Speed> stores = new HashMap<>();
        Map<HelperId, Speed> readers = new HashMap<>();
        for (ReaderSpeed row : rows) {
            stores.merge(row.key().store(), row.speed(), Speed::plus);
            readers.merge(row.reader(), row.speed(), Speed::plus);
        }
        return new Totals(stores, readers);
    }

    /**
     * Speeds added up.
     *
     * @param stores the speed of each store over all helpers and sizes
     * @param readers the speed of each helper over all stores and sizes
     */
    public record Totals(Map<StoreId, Speed> stores, Map<HelperId, Speed> readers) {
        public Totals {
            stores = Map.copyOf(stores);
            readers = Map.copyOf(readers);
        }
    }

    /**
     * The expected speeds of these stores: an entry for each reader, store and size with enough samples, and one
     * without a reader for each store and size. They are up to a second old.
     *
     * @param readers the readers of interest; others count only in the entries without a reader
     */
    public List<SpeedEntry> expected(Collection<HelperId> readers, Collection<StoreId> stores) {
        List<CachedSpeeds> known = stores.stream().map(this::outlook).toList();
        List<SpeedEntry> entries = new ArrayList<>();
        for (CachedSpeeds outlook : known) {
            for (HelperId reader : readers) {
                entries.addAll(outlook.readers().getOrDefault(reader, List.of()));
            }
        }
        known.forEach(outlook -> entries.addAll(outlook.anyReader()));
        return entries;
    }

    private CachedSpeeds outlook(StoreId store) {
        if (outlooks.size() >= maxReports && !outlooks.containsKey(store)) {
            outlooks.clear();
        }
        long now = ticker.nanos();
        return outlooks.compute(
                store,
                (id, before) -> before != null && now - before.atNanos() < FRESH.toNanos() ? before : look(id, now));
    }

    private CachedSpeeds look(StoreId store, long nowNanos) {
        List<Report> heard;
        synchronized (this) {
            heard = List.copyOf(ofStore.getOrDefault(store, Map.of()).values());
        }
        Map<HelperId, List<SpeedEntry>> readers = new HashMap<>();
        Map<SpeedKey, Speed> sums = new LinkedHashMap<>();
        for (ReaderSpeed row : aged(heard)) {
            sums.merge(row.key(), row.speed(), Speed::plus);
            entry(Optional.of(row.reader()), row.key(), row.speed())
                    .ifPresent(entry -> readers.computeIfAbsent(row.reader(), absent -> new ArrayList<>())
                            .add(entry));
        }
        List<SpeedEntry> anyReader = new ArrayList<>();
        sums.forEach((key, speed) -> entry(Optional.empty(), key, speed).ifPresent(anyReader::add));
        return new CachedSpeeds(nowNanos, readers, anyReader);
    }

    /** The entry; empty when there are too few samples. */
    private static Optional<SpeedEntry> entry(Optional<HelperId> reader, SpeedKey key, Speed speed) {
        ExpectedSpeed expected = speed.expected();
        return expected.isKnown() ? Optional.of(new SpeedEntry(reader, key, expected)) : Optional.empty();
    }

    /** The number of stores with computed figures. */
    int outlooks() {
        return outlooks.size();
    }
}
