package io.cloudmw.core.schedule;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The same rate cap for each client, or for each volume: a token bucket for each recent one. A bucket that is full
 * again is dropped. Not thread-safe.
 */
final class RateCaps {
    /** The most buckets; beyond that the least recent one is dropped, full or not. */
    static final int MAX_BUCKETS = 16_384;

    private final OptionalLong bytesPerSecond;
    private final Map<String, TokenBucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

    /** Caps of so many bytes per second; empty: no cap. */
    RateCaps(OptionalLong bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    boolean admits(String name, long nowNanos) {
        TokenBucket bucket = buckets.get(name);
        return bucket == null || bucket.admits(nowNanos);
    }

    long admitsAtNanos(String name, long nowNanos) {
        TokenBucket bucket = buckets.get(name);
        return bucket == null ? nowNanos : bucket.admitsAtNanos(nowNanos);
    }

    void take(String name, long bytes, long nowNanos) {
        if (bytesPerSecond.isPresent()) {
            buckets.computeIfAbsent(name, absent -> new TokenBucket(bytesPerSecond.getAsLong(), nowNanos))
                    .take(bytes, nowNanos);
            forgetEldest(nowNanos);
        }
    }

    private void forgetEldest(long nowNanos) {
        Iterator<TokenBucket> eldestFirst = buckets.values().iterator();
        if (eldestFirst.next().isFull(nowNanos) || buckets.size() > MAX_BUCKETS) {
            eldestFirst.remove();
        }
    }

    int buckets() {
        return buckets.size();
    }
}
