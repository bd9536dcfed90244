package io.cloudmw.core.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one process sees of the stores it reads. Safe for any thread; a few additions for each event, under one lock.
 *
 * <p>Bounded: at most so many keys, of which the one not read for longest is forgotten first, and about 20 KB each.
 */
public final class SpeedMonitor {
    /** Keys of a process that says nothing else: 64 stores in all four sizes, 5 MB. */
    public static final int DEFAULT_KEYS = 256;

    private final Ticker ticker;
    private final MonitorMetrics metrics;

    @GuardedBy("this")
    private final LinkedHashMap<SpeedKey, SpeedRecord> records = new LinkedHashMap<>(16, 0.75f, true);

    private final int maxKeys;

    /** Counts what was told, so that nobody's news waits for that of others for good. */
    @GuardedBy("this")
    private long told;

    public SpeedMonitor(Ticker ticker, int maxKeys, MonitorMetrics metrics) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
        }
        this.ticker = ticker;
        this.maxKeys = maxKeys;
        this.metrics = metrics;
    }

    /** A read of {@code bytes} begins now. */
    public ReadProbe read(StoreId store, long bytes) {
        ReadProbe probe = new ReadProbe(this, new SpeedKey(store, SizeClass.of(bytes)), ticker);
        record(probe.key(), SpeedRecord::began);
        return probe;
    }

    /** One addition to a record, at a time. */
    interface Addition {
        void to(SpeedRecord entry, long nowNanos);
    }

    synchronized void record(SpeedKey key, Addition addition) {
        long now = ticker.nanos();
        SpeedRecord found = records.get(key);
        if (found == null) {
            makeRoom();
            found = new SpeedRecord(now);
            records.put(key, found);
            metrics.keys(records.size());
        }
        addition.to(found, now);
    }

    @GuardedBy("this")
    private void makeRoom() {
        if (records.size() >= maxKeys) {
            records.remove(records.keySet().iterator().next());
            metrics.evicted();
        }
    }

    /** Everything known, as of now. */
    public synchronized Map<SpeedKey, Speed> speeds() {
        long now = ticker.nanos();
        Map<SpeedKey, Speed> speeds = new LinkedHashMap<>();
        records.forEach((key, entry) -> speeds.put(key, entry.speed(now)));
        return speeds;
    }

    /**
     * News for those who were told before: what changed since it was last {@link News#told}, at most {@code limit} keys,
     * those first that were told longest ago, or never, however often the others change.
     */
    public synchronized News news(int limit) {
        long now = ticker.nanos();
        return new News(records.entrySet().stream()
                .filter(entry -> entry.getValue().hasNews())
                .sorted(Comparator.comparingLong(entry -> entry.getValue().toldAt()))
                .limit(limit)
                .map(entry -> item(entry.getKey(), entry.getValue(), now))
                .toList());
    }

    private static Item item(SpeedKey key, SpeedRecord known, long now) {
        return new Item(key, known, known.changes(), known.speed(now));
    }

    private record Item(SpeedKey key, SpeedRecord entry, long changes, Speed speed) {}

    /** Speeds to be told to somebody. */
    public final class News {
        private final List<Item> items;

        private News(List<Item> items) {
            this.items = List.copyOf(items);
        }

        public Map<SpeedKey, Speed> speeds() {
            Map<SpeedKey, Speed> speeds = new LinkedHashMap<>();
            items.forEach(item -> speeds.put(item.key(), item.speed()));
            return speeds;
        }

        /** They have arrived: not told again until they change. */
        public void told() {
            synchronized (SpeedMonitor.this) {
                told++;
                items.forEach(item -> item.entry().reported(item.changes(), told));
            }
        }
    }

    /** Everything is news again: who was told has forgotten. */
    public synchronized void tellAgain() {
        records.values().forEach(SpeedRecord::forgetReported);
    }

    void failed(SpeedKey key, ErrorCode code) {
        record(key, (entry, now) -> entry.failed(code, now));
    }
}
