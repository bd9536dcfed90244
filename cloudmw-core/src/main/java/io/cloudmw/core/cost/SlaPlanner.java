package io.cloudmw.core.cost;

import io.cloudmw.core.model.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Chooses how to read so that a promise is kept at the least price: the best cost (δ) for a given performance (β), which
 * [1] CloudMW §4.2 leaves to future work. Every candidate is predicted by the {@link TransferModel}; of those whose
 * quantile is within the deadline the cheapest is taken, then the one that fetches fewest bytes, then the one with the
 * fewest requests, then with the fewest streams. If none is, the fastest. Pure.
 *
 * <p>Candidates: {@code single}; {@code hedged} and {@code cooperative} with 1, 2, 4... streams, up to four for each
 * helper, hedged after the p50, p95 or p99 of the best store's first byte; {@code kn}, a full race of every block.
 */
public final class SlaPlanner {
    /**
     * What must be kept.
     *
     * @param quantile share of the reads, above 0 and below 1
     * @param deadline for each of them
     */
    public record Goal(double quantile, Duration deadline) {
        public Goal {
            if (!(quantile > 0 && quantile < 1)) {
                throw new IllegalArgumentException("quantile: " + quantile + " (expected: above 0, below 1)");
            }
            if (deadline.isNegative() || deadline.isZero()) {
                throw new IllegalArgumentException("deadline: " + deadline + " (expected: > 0)");
            }
        }
    }

    /**
     * What reading costs here, in any currency.
     *
     * @param perRequest to a store
     * @param perByte that leaves a store
     */
    public record Rates(double perRequest, double perByte) {
        /** Of one read. */
        public double price(Prediction prediction) {
            return perRequest * prediction.requests() + perByte * prediction.fetchedBytes();
        }
    }

    /**
     * What was chosen.
     *
     * @param prediction of the way chosen
     * @param meets whether it is expected to keep the goal
     */
    public record Choice(Prediction prediction, boolean meets) {
        public Way way() {
            return prediction.way();
        }
    }

    private SlaPlanner() {}

    public static Choice choose(ReadShape shape, int helpers, Goal goal, Rates rates) {
        Prediction single = TransferModel.predict(shape, new Way(Mode.SINGLE, 1, Optional.empty()));
        if (single.time(goal.quantile()).compareTo(goal.deadline()) <= 0) {
            return new Choice(single, true); // nothing asks for less
        }
        List<Prediction> predictions = new ArrayList<>(List.of(single));
        for (Way way : candidates(shape, helpers)) {
            predictions.add(TransferModel.predict(shape, way));
        }
        Comparator<Prediction> cheapest = Comparator.comparingDouble(rates::price)
                .thenComparingDouble(Prediction::fetchedBytes)
                .thenComparingDouble(Prediction::requests)
                .thenComparingInt(prediction -> prediction.way().streams());
        Optional<Prediction> kept = predictions.stream()
                .filter(prediction -> prediction.time(goal.quantile()).compareTo(goal.deadline()) <= 0)
                .min(cheapest);
        Comparator<Prediction> fastest = Comparator.comparing(prediction -> prediction.time(goal.quantile()));
        return new Choice(
                kept.or(() -> predictions.stream().min(fastest.thenComparing(cheapest)))
                        .orElseThrow(),
                kept.isPresent());
    }

    private static List<Way> candidates(ReadShape shape, int helpers) {
        List<Way> ways = new ArrayList<>();
        int replicas = shape.replicas().size();
        for (int streams = 1; streams <= Way.mostStreams(helpers); streams *= 2) {
            if (replicas > 1) {
                for (Duration delay : delays(shape)) {
                    ways.add(new Way(Mode.HEDGED, streams, Optional.of(delay)));
                }
            }
            ways.add(new Way(Mode.COOPERATIVE, streams, Optional.empty()));
        }
        if (replicas > 1) {
            ways.add(new Way(Mode.KN, replicas, Optional.empty()));
        }
        return ways;
    }

    private static List<Duration> delays(ReadShape shape) {
        return shape.replicas().stream()
                .min(Comparator.comparingLong(speed -> speed.expectedNanos(shape.chunkBytes())))
                .map(best -> List.of(
                        Duration.ofNanos(best.firstByteP99Nanos()),
                        Duration.ofNanos(best.firstByteP95Nanos()),
                        Duration.ofNanos(best.firstByteP50Nanos())))
                .orElseThrow();
    }
}
