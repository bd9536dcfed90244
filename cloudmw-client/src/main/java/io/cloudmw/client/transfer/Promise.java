package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.SlaReport;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.cost.ReadShape;
import io.cloudmw.core.cost.SlaPlanner;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.StoreStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What a get must keep, how it is read because of that, and whether it was kept. Immutable. */
public final class Promise {
    /** Of the reads with a deadline of their own, so many must keep it. */
    static final double QUANTILE = 0.99;

    private final SlaPlanner.Goal goal;
    private final SlaPlanner.Choice choice;

    private Promise(SlaPlanner.Goal goal, SlaPlanner.Choice choice) {
        this.goal = goal;
        this.choice = choice;
    }

    /**
     * The promise for this read: the caller's, before the volume's; empty when there is neither.
     *
     * @param bytes to be read
     */
    static Optional<Promise> of(ReadPlan plan, long bytes, Optional<Duration> deadline, Pricing pricing) {
        Optional<SlaPlanner.Goal> goal = goal(plan, bytes, deadline);
        if (goal.isEmpty()) {
            return Optional.empty();
        }
        ReadShape shape = ReadShape.of(plan, bytes, Long.MAX_VALUE);
        List<Store> stores = plan.stores().stream().map(StoreStatus::store).toList();
        return Optional.of(new Promise(
                goal.get(), SlaPlanner.choose(shape, plan.helpers().size(), goal.get(), pricing.rates(stores))));
    }

    /** What is asked for: the caller's deadline, before the volume's target. */
    public static Optional<SlaPlanner.Goal> goal(ReadPlan plan, long bytes, Optional<Duration> deadline) {
        return deadline.map(time -> new SlaPlanner.Goal(QUANTILE, time))
                .or(() -> plan.target().map(target -> new SlaPlanner.Goal(target.quantile(), target.deadline(bytes))));
    }

    SlaPlanner.Choice choice() {
        return choice;
    }

    /** What became of it. */
    SlaReport kept(Duration elapsed, ReadLedger ledger) {
        boolean met = elapsed.compareTo(goal.deadline()) <= 0;
        Duration predicted = choice.prediction().time(goal.quantile());
        StringBuilder why = new StringBuilder();
        if (met) {
            why.append("took ").append(text(elapsed)).append(" of ").append(text(goal.deadline()));
        } else {
            why.append("took ")
                    .append(text(elapsed.minus(goal.deadline())))
                    .append(" too long; ")
                    .append(ledger.slowest());
            ledger.hindrances().forEach(hindrance -> why.append("; ").append(hindrance));
        }
        if (!choice.meets()) {
            why.append("; no way was expected to keep it, the fastest known takes ")
                    .append(text(predicted));
        }
        return new SlaReport(goal.deadline(), goal.quantile(), met, why.toString(), choice.way(), predicted);
    }

    private static String text(Duration duration) {
        return ReadLedger.text(duration);
    }
}
