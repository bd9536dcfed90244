package io.cloudmw.core.cost.plan;

import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The properties of a read on which its time depends. Immutable.
 *
 * @param bytes to be read
 * @param chunkBytes of one chunk; the last may be shorter
 * @param replicas the expected speed of each replica's store; at least one
 * @param destinationBytesPerSecond the speed of the destination; {@link Long#MAX_VALUE}: unlimited
 */
public record ReadShape(long bytes, long chunkBytes, List<ExpectedSpeed> replicas, long destinationBytesPerSecond) {
    /**
     * A read of {@code bytes} by this plan. Its replicas are in k of the available stores, at even distances from the
     * fastest to the slowest.
     */
    public static ReadShape of(ReadPlan plan, long bytes, long destinationBytesPerSecond) {
        long chunks = Math.max(1, plan.version().chunkCount());
        long chunkBytes = Math.max(1, (plan.version().sizeBytes() + chunks - 1) / chunks);
        long requestBytes = Math.max(1, Math.min(bytes, chunkBytes));
        List<ExpectedSpeed> all = plan.stores().stream()
                .filter(StoreStatus::available)
                .map(status -> plan.speeds().of(status.store().id(), requestBytes))
                .sorted(Comparator.comparingLong(speed -> speed.expectedNanos(requestBytes)))
                .toList();
        if (all.isEmpty()) {
            return new ReadShape(bytes, chunkBytes, List.of(ExpectedSpeed.DEFAULT), destinationBytesPerSecond);
        }
        int replicas = Math.min(plan.replicas(), all.size());
        List<ExpectedSpeed> chosen = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            chosen.add(all.get(replicas == 1 ? all.size() / 2 : i * (all.size() - 1) / (replicas - 1)));
        }
        return new ReadShape(bytes, chunkBytes, chosen, destinationBytesPerSecond);
    }

    /** Returns whether every speed was measured and none is a default. */
    public boolean isKnown() {
        return replicas.stream().allMatch(ExpectedSpeed::isKnown);
    }

    public ReadShape {
        replicas = List.copyOf(replicas);
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
        if (chunkBytes < 1) {
            throw new IllegalArgumentException("chunkBytes: " + chunkBytes + " (expected: >= 1)");
        }
        if (replicas.isEmpty()) {
            throw new IllegalArgumentException("replicas: none");
        }
        if (destinationBytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "destinationBytesPerSecond: " + destinationBytesPerSecond + " (expected: >= 1)");
        }
    }
}
