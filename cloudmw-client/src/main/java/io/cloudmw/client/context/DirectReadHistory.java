package io.cloudmw.client.context;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The history of a client's direct reads: which stores it could not read lately, and from which stores direct reads were
 * as good as the helpers'. Bounded; safe for any thread.
 */
public final class DirectReadHistory {
    /** The time for which a store that could not be read is not tried again. */
    static final Duration OUTAGE = Duration.ofSeconds(30);

    /** The time for which a comparison with the helpers is valid. */
    static final Duration COMPARISON = Duration.ofMinutes(1);

    private static final int MAX_STORES = 1024;

    /** The last comparison of a store with the helpers. */
    private record Compared(DirectUse use, long atNanos) {}

    /** A map that forgets the store that was added first. */
    private static final class Recent<T> extends LinkedHashMap<StoreId, T> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<StoreId, T> eldest) {
            return size() > MAX_STORES;
        }
    }

    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<StoreId, Long> failedAtNanos = new Recent<>();

    @GuardedBy("this")
    private final Map<StoreId, Compared> compared = new Recent<>();

    DirectReadHistory(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Notes that the client could not read the store by itself. */
    public synchronized void failed(StoreId store) {
        failedAtNanos.put(store, ticker.nanos());
    }

    /** Notes that the store has answered. */
    public synchronized void answered(StoreId store) {
        failedAtNanos.remove(store);
    }

    /** Returns whether the client could not read the store lately. */
    public synchronized boolean isOut(StoreId store) {
        Long failed = failedAtNanos.get(store);
        return failed != null && ticker.nanos() - failed < OUTAGE.toNanos();
    }

    /**
     * Notes the result of a read's comparison.
     *
     * @param use {@code PREFERRED} or {@code LAST_RESORT}; {@code PROBING}: nothing was found out
     */
    public synchronized void compared(Collection<StoreId> buckets, DirectUse use) {
        if (use != DirectUse.PROBING) {
            buckets.forEach(store -> compared.put(store, new Compared(use, ticker.nanos())));
        }
    }

    /**
     * The use of direct reads with which a read of these buckets begins: as last compared, or by a probe where that is
     * too long ago.
     */
    public synchronized DirectUse start(Collection<StoreId> buckets) {
        if (buckets.stream().allMatch(this::isOut)) {
            return DirectUse.LAST_RESORT;
        }
        DirectUse start = DirectUse.PREFERRED;
        for (StoreId store : buckets) {
            Compared last = compared.get(store);
            if (last == null || ticker.nanos() - last.atNanos() >= COMPARISON.toNanos()) {
                return DirectUse.PROBING;
            }
            if (last.use() == DirectUse.LAST_RESORT) {
                start = DirectUse.LAST_RESORT;
            }
        }
        return start;
    }
}
