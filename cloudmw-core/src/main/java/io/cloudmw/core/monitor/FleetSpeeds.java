package io.cloudmw.core.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
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
 * What all helpers see of all stores, put together from what they report. A report replaces the last one of the same
 * reader, store and size, and ages from when it came. Safe for any thread.
 *
 * <p>What plans are told of a store ({@link #expected}) is put together at most once a second, however many plans ask
 * for it, and without holding up reports.
 *
 * <p>Bounded: at most so many reports, of which the one that came longest ago is forgotten first; a report takes 1 to 4
 * KB.
 */
public final class FleetSpeeds {
    /** Reports kept by a coordinator: 32 MB at the very most, mostly a quarter of it. */
    public static final int DEFAULT_REPORTS = 8192;

    /** Less than the time between two heartbeats of a helper. */
    static final Duration FRESH = Duration.ofSeconds(1);

    private record Place(HelperId reader, SpeedKey key) {}

    private record Report(Place place, Speed speed, long heardNanos) {
        ReaderSpeed aged(long nowNanos) {
            return new ReaderSpeed(place.reader(), place.key(), speed.aged(nowNanos - heardNanos));
        }
    }

    /** What was to be expected of one store at one moment. */
    private record Outlook(long atNanos, Map<HelperId, List<SpeedEntry>> readers, List<SpeedEntry> anybody) {}

    private final Ticker ticker;
    private final int maxReports;

    @GuardedBy("this")
    private final LinkedHashMap<Place, Report> reports = new LinkedHashMap<>();

    /** The same by store. */
    @GuardedBy("this")
    private final Map<StoreId, Map<Place, Report>> ofStore = new HashMap<>();

    /** Put together while this instance is not locked; no more of them than reports. */
    private final ConcurrentHashMap<StoreId, Outlook> outlooks = new ConcurrentHashMap<>();

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

    private synchronized void forget(Place place) {
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
     * a reader for each store and size. As of now or up to a second ago.
     *
     * @param readers those of interest; what others know goes into the entries without a reader
     */
    public List<SpeedEntry> expected(Collection<HelperId> readers, Collection<StoreId> stores) {
        List<Outlook> known = stores.stream().map(this::outlook).toList();
        List<SpeedEntry> entries = new ArrayList<>();
        for (Outlook outlook : known) {
            for (HelperId reader : readers) {
                entries.addAll(outlook.readers().getOrDefault(reader, List.of()));
            }
        }
        known.forEach(outlook -> entries.addAll(outlook.anybody()));
        return entries;
    }

    private Outlook outlook(StoreId store) {
        if (outlooks.size() >= maxReports && !outlooks.containsKey(store)) {
            outlooks.clear();
        }
        long now = ticker.nanos();
        return outlooks.compute(
                store,
                (id, before) -> before != null && now - before.atNanos() < FRESH.toNanos() ? before : look(id, now));
    }

    private Outlook look(StoreId store, long nowNanos) {
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
        List<SpeedEntry> anybody = new ArrayList<>();
        sums.forEach((key, speed) -> entry(Optional.empty(), key, speed).ifPresent(anybody::add));
        return new Outlook(nowNanos, readers, anybody);
    }

    /** Empty where too little is known. */
    private static Optional<SpeedEntry> entry(Optional<HelperId> reader, SpeedKey key, Speed speed) {
        ExpectedSpeed expected = ExpectedSpeed.of(speed);
        return expected.isKnown() ? Optional.of(new SpeedEntry(reader, key, expected)) : Optional.empty();
    }

    /** Stores whose outlook is kept. */
    int outlooks() {
        return outlooks.size();
    }
}
