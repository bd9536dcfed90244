package io.cloudmw.core.cost.plan;

import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.ReadChoice;
import io.cloudmw.core.cost.ReadGoal;
import io.cloudmw.core.cost.ReadRates;
import io.cloudmw.core.cost.ReadStrategy;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The planner of reads that keep a target at the least price: the best cost (δ) for a given performance (β), which [1]
 * CloudMW §4.2 leaves to future work. The {@link TransferModel} predicts every candidate. The planner takes
 * the cheapest candidate whose quantile is within the deadline, then the one with the fewest bytes, requests, and
 * streams.
 * Differences of a hundredth do not count.
 *
 * <p>If no candidate keeps the target, the planner takes a full race of every block, {@code kn}, if that does: its
 * waste loads helpers and links, which no price table knows. If that does not either, it takes the fastest of the
 * others, because k times the bytes would not keep the target. Pure.
 *
 * <p>Candidates are {@code single}, and {@code hedged} and {@code cooperative} with 1, 2, 4... streams, up to the
 * blocks of the read and the lanes of the mode. They hedge after the p50, p95 or p99 of the best store's first byte. A
 * strategy whose second attempts the {@link RedundancyBudget} would refuse now is no candidate. Nor is a full race
 * while the stores are slow as a whole: it would add to the load that makes them slow.
 */
public final class SlaPlanner {
    /** The noise of predictions, which are means over a few hundred runs. */
    private static final double NOISE = 0.01;

    private SlaPlanner() {}

    /**
     * Chooses the strategy.
     *
     * @param governor the reader's budget
     */
    public static ReadChoice choose(
            ReadShape shape, int helpers, ReadGoal goal, ReadRates rates, RedundancyBudget governor) {
        TransferModel model = new TransferModel(shape, governor);
        ReadChoice single = ReadChoice.of(model.predict(new ReadStrategy(Mode.SINGLE, 1, Optional.empty())), goal);
        if (single.meets()) {
            return single; // no strategy costs less
        }
        List<ReadChoice> choices = new ArrayList<>(List.of(single));
        for (ReadStrategy strategy : candidates(shape, model, helpers)) {
            Prediction prediction = model.predict(strategy);
            if (isAffordable(prediction, shape, governor)) {
                choices.add(ReadChoice.of(prediction, goal));
            }
        }
        Comparator<Prediction> cheapest = Comparator.comparingDouble(rates::price)
                .thenComparingDouble(Prediction::fetchedBytes)
                .thenComparingDouble(Prediction::requests)
                .thenComparingInt(prediction -> prediction.strategy().streams());
        Comparator<Prediction> fastest = Comparator.comparing(prediction -> prediction.time(goal.quantile()));
        return cheapest(choices.stream().filter(ReadChoice::meets).toList(), rates)
                .or(() -> fullRace(shape)
                        .map(strategy -> ReadChoice.of(model.predict(strategy), goal))
                        .filter(ReadChoice::meets))
                .or(() -> choices.stream()
                        .min(Comparator.comparing(ReadChoice::prediction, fastest.thenComparing(cheapest))))
                .orElse(single);
    }

    /** The cheapest choice; among equal ones, within the noise of the model, the one with the fewest streams. */
    private static Optional<ReadChoice> cheapest(List<ReadChoice> choices, ReadRates rates) {
        List<ReadChoice> least = least(choices, rates::price);
        least = least(least, Prediction::fetchedBytes);
        least = least(least, Prediction::requests);
        return least.stream()
                .min(Comparator.comparingInt(
                                (ReadChoice choice) -> choice.strategy().streams())
                        .thenComparingDouble(choice -> rates.price(choice.prediction())));
    }

    private static List<ReadChoice> least(List<ReadChoice> choices, ToDoubleFunction<Prediction> by) {
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
        List<ReadStrategy> strategies = new ArrayList<>();
        ReadStrategy most =
                ReadStrategy.usual(Mode.COOPERATIVE, helpers, shape.replicas().size());
        int useful = (int) Math.min(most.streams(), model.blocks(most));
        int streams = 0;
        while (streams < useful) {
            streams = Math.min(Math.max(1, 2 * streams), useful);
            if (shape.replicas().size() > 1) {
                for (Duration delay : delays(shape)) {
                    strategies.add(new ReadStrategy(Mode.HEDGED, streams, Optional.of(delay)));
                }
            }
            strategies.add(new ReadStrategy(Mode.COOPERATIVE, streams, Optional.empty()));
        }
        return strategies;
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

    /**
     * The race policy that reads a given way.
     *
     * @param inOrder for a stream
     */
    public static ModePolicy policy(ReadStrategy way, boolean inOrder, int replicas) {
        ModePolicy policy = ModePolicy.of(way.mode(), inOrder).withStreams(way.streams(), replicas);
        return way.hedgeDelay().map(delay -> policy.withDelay(delay.toNanos())).orElse(policy);
    }
}
