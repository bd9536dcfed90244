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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a get must keep, which way of reading was expected to keep it, and whether it was kept. Confined to its get. */
final class Promise {
    /** Of the reads with a deadline of their own, so many must keep it. */
    static final double QUANTILE = 0.99;

    private final SlaPlanner.Goal goal;
    private final Supplier<SlaPlanner.Choice> planner;
    private SlaPlanner.@Nullable Choice choice;

    private Promise(SlaPlanner.Goal goal, Supplier<SlaPlanner.Choice> planner) {
        this.goal = goal;
        this.planner = planner;
    }

    /**
     * The promise for this read: the caller's, before the volume's; empty when there is neither.
     *
     * @param bytes to be read
     */
    static Optional<Promise> of(ReadPlan plan, long bytes, Optional<Duration> deadline, Pricing pricing) {
        return goal(plan, bytes, deadline)
                .map(goal -> new Promise(goal, () -> {
                    ReadShape shape = ReadShape.of(plan, bytes, Long.MAX_VALUE);
                    List<Store> stores =
                            plan.stores().stream().map(StoreStatus::store).toList();
                    return SlaPlanner.choose(shape, plan.helpers().size(), goal, pricing.rates(stores));
                }));
    }

    /** What is asked for: the caller's deadline, before the volume's target. */
    static Optional<SlaPlanner.Goal> goal(ReadPlan plan, long bytes, Optional<Duration> deadline) {
        return deadline.map(time -> new SlaPlanner.Goal(QUANTILE, time))
                .or(() -> plan.target().map(target -> new SlaPlanner.Goal(target.quantile(), target.deadline(bytes))));
    }

    /** Planned when it is first asked for, which takes milliseconds of computing: not before the read needs it. */
    private SlaPlanner.Choice choice() {
        SlaPlanner.Choice made = choice == null ? planner.get() : choice;
        choice = made;
        return made;
    }

    /** What became of it. */
    SlaReport kept(Duration elapsed, ReadLedger ledger) {
        boolean met = elapsed.compareTo(goal.deadline()) <= 0;
        SlaPlanner.Choice planned = choice();
        Duration predicted = planned.prediction().time(goal.quantile());
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
        if (!planned.meets()) {
            why.append("; no way was expected to keep it, the fastest known takes ")
                    .append(text(predicted));
        }
        return new SlaReport(goal.deadline(), goal.quantile(), met, why.toString(), planned.way(), predicted);
    }

    private static String text(Duration duration) {
        return ReadLedger.text(duration);
    }
}
