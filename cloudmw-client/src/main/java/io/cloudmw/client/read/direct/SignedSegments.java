package io.cloudmw.client.read.direct;

import io.cloudmw.client.rpc.coordinator.SegmentPlan;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/**
 * A cache of manifest segments with URLs signed by the coordinator. A segment is fetched again after half of its
 * URLs' validity, or after {@value #MAX_AGE_MINUTES} minutes. The {@value #KEPT} used last are kept. Safe for any
 * thread.
 */
final class SignedSegments {
    static final int KEPT = 4;
    static final int MAX_AGE_MINUTES = 2;

    private static final Duration MAX_AGE = Duration.ofMinutes(MAX_AGE_MINUTES);

    private record Signed(CompletableFuture<SegmentPlan> segment, long askedNanos) {
        boolean isFresh(long nowNanos) {
            if (!segment.isDone()) {
                return true;
            }
            if (segment.isCompletedExceptionally()) {
                return false;
            }
            Duration half = segment.join().directValidity().dividedBy(2);
            Duration age = half.isZero() || half.compareTo(MAX_AGE) > 0 ? MAX_AGE : half;
            return nowNanos - askedNanos <= age.toNanos();
        }
    }

    private final Ticker ticker;
    private final IntFunction<CompletableFuture<SegmentPlan>> coordinator;
    private final Map<Integer, Signed> segments = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Signed> eldest) {
            return size() > KEPT;
        }
    };

    /** @param coordinator signs a segment */
    SignedSegments(Ticker ticker, IntFunction<CompletableFuture<SegmentPlan>> coordinator) {
        this.ticker = ticker;
        this.coordinator = coordinator;
    }

    /** Forgets a segment: the store did not accept its URLs any more. */
    void forget(int index) {
        synchronized (segments) {
            segments.remove(index);
        }
    }

    CompletableFuture<SegmentPlan> of(int index) {
        synchronized (segments) {
            Signed signed = segments.get(index);
            long now = ticker.nanos();
            if (signed == null || !signed.isFresh(now)) {
                segments.remove(index);
                signed = new Signed(coordinator.apply(index), now);
                segments.put(index, signed);
            }
            return signed.segment();
        }
    }
}
