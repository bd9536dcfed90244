package io.cloudmw.core.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.time.Ticker;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The monitor of the stores that one process reads. Safe for any thread; a few additions for each event, under one
 * lock.
 *
 * <p>Bounded: when there are too many keys, the one not read for longest is dropped; a key takes about 20 KB.
 */
public final class SpeedMonitor {
    /** The default number of keys: 64 stores in all four sizes, 5 MB. */
    public static final int DEFAULT_KEYS = 256;

    private final Ticker ticker;
    private final MonitorMetrics metrics;

    @GuardedBy("this")
    private final LinkedHashMap<SpeedKey, SpeedRecord> records = new LinkedHashMap<>(16, 0.75f, true);

    private final int maxKeys;

    /** Counts the news, so that every key's news is delivered in turn. */
    @GuardedBy("this")
    private long receipts;

    public SpeedMonitor(Ticker ticker, int maxKeys, MonitorMetrics metrics) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
        }
        this.ticker = ticker;
        this.maxKeys = maxKeys;
        this.metrics = metrics;
    }

    /** Begins a read of {@code bytes} now. */
    public ReadProbe read(StoreId store, long bytes) {
        ReadProbe probe = new ReadProbe(this, new SpeedKey(store, SizeClass.of(bytes)), ticker);
        record(probe.key(), SpeedRecord::began);
        return probe;
    }

    /** An addition to a record, at a time. */
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

    /** All speeds, as of now. */
    public synchronized Map<SpeedKey, Speed> speeds() {
        long now = ticker.nanos();
        Map<SpeedKey, Speed> speeds = new LinkedHashMap<>();
        records.forEach((key, entry) -> speeds.put(key, entry.speed(now)));
        return speeds;
    }

    /**
     * News for a receiver of earlier ones: at most {@code limit} keys that have changed since they were last {@link
     * News#received}. The keys reported longest ago, or never, come first, however often the others change.
     */
    public synchronized News news(int limit) {
        long now = ticker.nanos();
        return new News(records.entrySet().stream()
                .filter(entry -> entry.getValue().hasNews())
                .sorted(Comparator.comparingLong(entry -> entry.getValue().reportedAt()))
                .limit(limit)
                .map(entry -> item(entry.getKey(), entry.getValue(), now))
                .toList());
    }

    private static NewsItem item(SpeedKey key, SpeedRecord known, long now) {
        return new NewsItem(key, known, known.changes(), known.speed(now));
    }

    private record NewsItem(SpeedKey key, SpeedRecord entry, long changes, Speed speed) {}

    /** Speeds for a receiver. */
    public final class News {
        private final List<NewsItem> items;

        private News(List<NewsItem> items) {
            this.items = List.copyOf(items);
        }

        public Map<SpeedKey, Speed> speeds() {
            Map<SpeedKey, Speed> speeds = new LinkedHashMap<>();
            items.forEach(item -> speeds.put(item.key(), item.speed()));
            return speeds;
        }

        /** Marks the speeds as received: they are news again only after they change. */
        public void received() {
            markReceived(items);
        }
    }

    private synchronized void markReceived(List<NewsItem> items) {
        receipts++;
        items.forEach(item -> item.entry().reported(item.changes(), receipts));
    }

    /** Makes everything news again, because the receiver has lost it. */
    public synchronized void tellAgain() {
        records.values().forEach(SpeedRecord::forgetReported);
    }

    void failed(SpeedKey key, ErrorCode code) {
        record(key, (entry, now) -> entry.failed(code, now));
    }
}
