package io.cloudmw.core.cost;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.model.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Chooses how to read so that a promise is kept at the least price: the best cost (δ) for a given performance (β), which
 * [1] CloudMW §4.2 leaves to future work. Every candidate is predicted by the {@link TransferModel}; of those whose
 * quantile is within the deadline the cheapest is taken, then the one that fetches fewest bytes, then the one with the
 * fewest requests, then with the fewest streams; a hundredth more is as good. If none is, a full race of every block, {@code kn}, where that is: what
 * it wastes is load on helpers and links that no price table knows. If that is not either, the fastest of the others: what
 * cannot be kept is not paid for with k times the bytes. Pure.
 *
 * <p>Candidates: {@code single}; {@code hedged} and {@code cooperative} with 1, 2, 4... streams, up to as many as there
 * are blocks and the mode has lanes, hedged after the p50, p95 or p99 of the best store's first byte. Ways whose second
 * attempts the {@link RedundancyBudget} would have to refuse now are none; nor is a full race while the stores are slow as a whole:
 * it would add to the load that makes them slow.
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
        /** Of what is predicted. */
        public static Choice of(Prediction prediction, Goal goal) {
            return new Choice(prediction, prediction.time(goal.quantile()).compareTo(goal.deadline()) <= 0);
        }

        public ReadStrategy way() {
            return prediction.way();
        }
    }

    /** What predictions of the same differ by, because they are means over a few hundred runs. */
    private static final double NOISE = 0.01;

    private SlaPlanner() {}

    /**
     * Chooses.
     *
     * @param governor of who reads
     */
    public static Choice choose(ReadShape shape, int helpers, Goal goal, Rates rates, RedundancyBudget governor) {
        TransferModel model = new TransferModel(shape, governor);
        Choice single = Choice.of(model.predict(new ReadStrategy(Mode.SINGLE, 1, Optional.empty())), goal);
        if (single.meets()) {
            return single; // nothing asks for less
        }
        List<Choice> choices = new ArrayList<>(List.of(single));
        for (ReadStrategy way : candidates(shape, model, helpers)) {
            Prediction prediction = model.predict(way);
            if (isAffordable(prediction, shape, governor)) {
                choices.add(Choice.of(prediction, goal));
            }
        }
        Comparator<Prediction> cheapest = Comparator.comparingDouble(rates::price)
                .thenComparingDouble(Prediction::fetchedBytes)
                .thenComparingDouble(Prediction::requests)
                .thenComparingInt(prediction -> prediction.way().streams());
        Comparator<Prediction> fastest = Comparator.comparing(prediction -> prediction.time(goal.quantile()));
        return cheapest(choices.stream().filter(Choice::meets).toList(), rates)
                .or(() -> fullRace(shape)
                        .map(way -> Choice.of(model.predict(way), goal))
                        .filter(Choice::meets))
                .or(() ->
                        choices.stream().min(Comparator.comparing(Choice::prediction, fastest.thenComparing(cheapest))))
                .orElse(single);
    }

    /** What differs by less than the model can tell is the same: then fewer streams are better. */
    private static Optional<Choice> cheapest(List<Choice> choices, Rates rates) {
        List<Choice> least = least(choices, rates::price);
        least = least(least, Prediction::fetchedBytes);
        least = least(least, Prediction::requests);
        return least.stream()
                .min(Comparator.comparingInt((Choice choice) -> choice.way().streams())
                        .thenComparingDouble(choice -> rates.price(choice.prediction())));
    }

    private static List<Choice> least(List<Choice> choices, ToDoubleFunction<Prediction> by) {
        double least = choices.stream()
                .mapToDouble(choice -> by.applyAsDouble(choice.prediction()))
                .min()
                .orElse(0);
        return choices.stream()
                .filter(choice -> by.applyAsDouble(choice.prediction()) <= least * (1 + NOISE))
                .toList();
    }

    private static boolean isAffordable(Prediction prediction, ReadShape shape, RedundancyBudget governor) {
        double extra = prediction.secondAttempts();
        double extraBytes = Math.max(0, prediction.fetchedBytes() - shape.bytes());
        return governor.affords(prediction.requests() - extra, extra, (double) shape.bytes(), extraBytes);
    }

    private static List<ReadStrategy> candidates(ReadShape shape, TransferModel model, int helpers) {
        List<ReadStrategy> ways = new ArrayList<>();
        ReadStrategy most =
                ReadStrategy.usual(Mode.COOPERATIVE, helpers, shape.replicas().size());
        int useful = (int) Math.min(most.streams(), model.blocks(most));
        int streams = 0;
        while (streams < useful) {
            streams = Math.min(Math.max(1, 2 * streams), useful);
            if (shape.replicas().size() > 1) {
                for (Duration delay : delays(shape)) {
                    ways.add(new ReadStrategy(Mode.HEDGED, streams, Optional.of(delay)));
                }
            }
            ways.add(new ReadStrategy(Mode.COOPERATIVE, streams, Optional.empty()));
        }
        return ways;
    }

    private static Optional<ReadStrategy> fullRace(ReadShape shape) {
        int replicas = shape.replicas().size();
        boolean slow =
                shape.replicas().stream().allMatch(speed -> speed.medianShift() >= RedundancyBudget.MEDIAN_MOVED);
        return replicas > 1 && !slow
                ? Optional.of(new ReadStrategy(Mode.KN, replicas, Optional.empty()))
                : Optional.empty();
    }

    private static List<Duration> delays(ReadShape shape) {
        return shape.replicas().stream()
                .min(Comparator.comparingLong(speed -> speed.expectedNanos(shape.chunkBytes())))
                .map(best -> List.of(
                        Duration.ofNanos(Math.max(best.firstByteP99Nanos(), best.lateFirstByteNanos())),
                        Duration.ofNanos(best.lateFirstByteNanos()),
                        Duration.ofNanos(best.firstByteNanos())))
                .orElseThrow();
    }
}
