package io.cloudmw.core.hedge;

import io.cloudmw.core.model.StoreId;
import java.util.HashMap;
import java.util.Map;

/** How fast each way to a store is: what this transfer saw lately, before what was known when it began. */
public final class TransferSpeeds {
    private static final double WEIGHT = 0.3;
    private static final double USUAL_BYTES_PER_NANO = 0.02;
    private static final long USUAL_FIRST_BYTE_NANOS = 50_000_000;

    private record Way(StoreId store, int helper) {}

    private static final class Seen {
        double firstByteNanos;
        double bytesPerNano;
    }

    /** Of a store nobody knows: this many times what other first bytes of the transfer took. */
    private static final double LATE_FACTOR = 4;

    private final SpeedEstimates view;
    private final Map<Way, Seen> seen = new HashMap<>();
    private double anyFirstByteNanos;
    /** By helper: from the issue of a block to the first that is heard of it. */
    private final Map<Integer, Double> wordNanos = new HashMap<>();

    private double anyWordNanos;

    public TransferSpeeds(SpeedEstimates view) {
        this.view = view;
    }

    public SpeedEstimate usual(StoreId store, int helper, long sizeBytes) {
        return view.expected(store, helper, sizeBytes);
    }

    /** How long a first byte may take before it is late where this is usual; 0: nothing is known. */
    public double lateFirstByteNanos(SpeedEstimate usual) {
        long known = usual.lateFirstByteNanos();
        return known > 0 ? known : LATE_FACTOR * anyFirstByteNanos;
    }

    /** Of what was heard of together with its beginning nobody can tell how long it took: that counts for nothing. */
    public void firstByte(StoreId store, int helper, long tookNanos) {
        if (tookNanos <= 0) {
            return;
        }
        anyFirstByteNanos = blend(anyFirstByteNanos, (double) tookNanos);
        Seen way = seen.computeIfAbsent(new Way(store, helper), unused -> new Seen());
        way.firstByteNanos = blend(way.firstByteNanos, (double) tookNanos);
    }

    /** The first that is heard of a block its helper could start at once came after so long. */
    public void word(int helper, long tookNanos) {
        anyWordNanos = blend(anyWordNanos, (double) tookNanos);
        wordNanos.merge(helper, (double) tookNanos, TransferSpeeds::blend);
    }

    /** How long it may take until something is heard of a block; 0: nothing is known of this helper nor of others. */
    public double lateWordNanos(int helper) {
        return LATE_FACTOR * wordNanos.getOrDefault(helper, anyWordNanos);
    }

    /** As for {@link #firstByte}. */
    public void fetched(StoreId store, int helper, long bytes, long tookNanos) {
        if (tookNanos <= 0) {
            return;
        }
        Seen way = seen.computeIfAbsent(new Way(store, helper), unused -> new Seen());
        way.bytesPerNano = blend(way.bytesPerNano, (double) bytes / tookNanos);
    }

    public double bytesPerNano(StoreId store, int helper, long sizeBytes) {
        Seen way = seen.get(new Way(store, helper));
        if (way != null && way.bytesPerNano > 0) {
            return way.bytesPerNano;
        }
        double usual = view.expected(store, helper, sizeBytes).bytesPerSecond() / 1e9;
        return usual > 0 ? usual : USUAL_BYTES_PER_NANO;
    }

    public double firstByteNanos(StoreId store, int helper, long sizeBytes) {
        Seen way = seen.get(new Way(store, helper));
        if (way != null && way.firstByteNanos > 0) {
            return way.firstByteNanos;
        }
        long usual = view.expected(store, helper, sizeBytes).firstByteNanos();
        return usual > 0 ? usual : USUAL_FIRST_BYTE_NANOS;
    }

    private static double blend(double before, double now) {
        return before == 0 ? now : before + WEIGHT * (now - before);
    }
}
