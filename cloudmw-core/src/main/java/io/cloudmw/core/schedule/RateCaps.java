package io.cloudmw.core.schedule;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The same cap for everybody of one kind, clients or volumes: a bucket for each that was heard of lately. One that is full
 * again is as good as none and is forgotten. Not thread-safe.
 */
final class RateCaps {
    /** Beyond so many, the one that was not heard of for longest is forgotten, full or not. */
    static final int MAX_BUCKETS = 16_384;

    private final OptionalLong bytesPerSecond;
    private final Map<String, TokenBucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

    /** Of so many bytes in a second; empty: there is no cap. */
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
