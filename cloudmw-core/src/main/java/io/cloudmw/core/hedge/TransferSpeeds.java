package io.cloudmw.core.hedge;

import io.cloudmw.core.model.StoreId;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;

/** The speeds one transfer has seen on each route to a store, and before that the estimates it began with. */
public final class TransferSpeeds {
    private record Route(StoreId store, int helper) {}

    private static final class Seen {
        double firstByteNanos;
        double bytesPerNano;
    }

    private static final double WEIGHT = 0.3;
    private static final double USUAL_BYTES_PER_NANO = 0.02;
    private static final long USUAL_FIRST_BYTE_NANOS = 50_000_000;
    /** At a store without an estimate, late is this many times the transfer's other first bytes. */
    private static final double LATE_FACTOR = 4;

    private final SpeedEstimates estimates;
    private final Map<Route, Seen> seen = new HashMap<>();
    private double anyFirstByteNanos;
    /** By helper: the time from issuing a block to the first report about it. */
    private final Map<Integer, Double> reportNanos = new HashMap<>();

    private double anyReportNanos;

    public TransferSpeeds(SpeedEstimates estimates) {
        this.estimates = estimates;
    }

    public SpeedEstimate usual(StoreId store, int helper, long sizeBytes) {
        return estimates.expected(store, helper, sizeBytes);
    }

    /**
     * The time that so many bytes take by the reader's own measurements, before and in this transfer; empty: it has
     * none. Attempts as the destination sees them do not tell: own racers wait for the destination's credit, helpers
     * fetch ahead of it.
     */
    public OptionalDouble measuredNanos(StoreId store, int helper, long sizeBytes) {
        SpeedEstimate measured = estimates.measured(store, helper, sizeBytes);
        double rate = measured.bytesPerSecond() / 1e9;
        return rate > 0 ? OptionalDouble.of(measured.firstByteNanos() + sizeBytes / rate) : OptionalDouble.empty();
    }

    /** The time that a first byte may take before it is late where this speed is usual; 0: nothing is known. */
    public double lateFirstByteNanos(SpeedEstimate usual) {
        long known = usual.lateFirstByteNanos();
        return known > 0 ? known : LATE_FACTOR * anyFirstByteNanos;
    }

    /**
     * Notes how long a first byte took. A time of 0 counts for nothing: start and first byte were reported together.
     */
    public void firstByte(StoreId store, int helper, long tookNanos) {
        if (tookNanos <= 0) {
            return;
        }
        anyFirstByteNanos = blend(anyFirstByteNanos, (double) tookNanos);
        Seen route = seen.computeIfAbsent(new Route(store, helper), unused -> new Seen());
        route.firstByteNanos = blend(route.firstByteNanos, (double) tookNanos);
    }

    /** Notes how long the first report took about a block its helper could start at once. */
    public void reported(int helper, long tookNanos) {
        anyReportNanos = blend(anyReportNanos, (double) tookNanos);
        reportNanos.merge(helper, (double) tookNanos, TransferSpeeds::blend);
    }

    /** The time that the first report about a block may take; 0: no helper has reported yet. */
    public double lateReportNanos(int helper) {
        return LATE_FACTOR * reportNanos.getOrDefault(helper, anyReportNanos);
    }

    /** Notes how long a whole block took. A time of 0 counts for nothing, as for {@link #firstByte}. */
    public void fetched(StoreId store, int helper, long bytes, long tookNanos) {
        if (tookNanos <= 0) {
            return;
        }
        Seen route = seen.computeIfAbsent(new Route(store, helper), unused -> new Seen());
        route.bytesPerNano = blend(route.bytesPerNano, (double) bytes / tookNanos);
    }

    public double bytesPerNano(StoreId store, int helper, long sizeBytes) {
        Seen route = seen.get(new Route(store, helper));
        if (route != null && route.bytesPerNano > 0) {
            return route.bytesPerNano;
        }
        double usual = usual(store, helper, sizeBytes).bytesPerSecond() / 1e9;
        return usual > 0 ? usual : USUAL_BYTES_PER_NANO;
    }

    public double firstByteNanos(StoreId store, int helper, long sizeBytes) {
        Seen route = seen.get(new Route(store, helper));
        if (route != null && route.firstByteNanos > 0) {
            return route.firstByteNanos;
        }
        long usual = usual(store, helper, sizeBytes).firstByteNanos();
        return usual > 0 ? usual : USUAL_FIRST_BYTE_NANOS;
    }

    private static double blend(double before, double now) {
        return before == 0 ? now : before + WEIGHT * (now - before);
    }
}
