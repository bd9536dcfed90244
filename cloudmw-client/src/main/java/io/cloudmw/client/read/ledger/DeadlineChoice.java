package io.cloudmw.client.read.ledger;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.progress.SlaReport;
import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.ReadChoice;
import io.cloudmw.core.cost.ReadGoal;
import io.cloudmw.core.cost.ReadRates;
import io.cloudmw.core.cost.ReadStrategy;
import io.cloudmw.core.cost.plan.ReadShape;
import io.cloudmw.core.cost.plan.SlaPlanner;
import io.cloudmw.core.cost.plan.TransferModel;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.status.StoreStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The deadline of one get, and the mode, fan-out and hedge delay chosen to meet it. The receipt says whether the get
 * met it. Immutable.
 */
public final class DeadlineChoice {
    /** The share of reads with a deadline of their own that must meet it. */
    static final double QUANTILE = 0.99;

    private static final String CALLER = "the way was the caller's choice";
    private static final String UNKNOWN = "some of its stores' speeds are not known, so that no way can be chosen";

    private final ReadGoal goal;
    private final ReadChoice choice;
    /** The reason why the mode was not chosen for the deadline; empty: it was. */
    private final Optional<String> given;

    private DeadlineChoice(ReadGoal goal, ReadChoice choice, Optional<String> given) {
        this.goal = goal;
        this.choice = choice;
        this.given = given;
    }

    /**
     * The choice for a read with the caller's deadline, or else the volume's; empty when there is neither. The
     * computation takes milliseconds.
     *
     * @param plan in the mode that counts where none is chosen
     * @param modeIsGiven whether the caller named the mode, which is then used
     * @param context gives the prices and the redundancy budget; nothing beyond the budget is chosen
     */
    public static Optional<DeadlineChoice> of(
            ReadPlan plan, ReadShape shape, Optional<Duration> deadline, boolean modeIsGiven, ClientContext context) {
        return deadline.map(time -> new ReadGoal(QUANTILE, time))
                .or(() -> plan.target().map(target -> new ReadGoal(target.quantile(), target.deadline(shape.bytes()))))
                .map(goal -> modeIsGiven || !shape.isKnown()
                        ? given(plan, shape, goal, modeIsGiven ? CALLER : UNKNOWN, context)
                        : chosen(plan, shape, goal, context));
    }

    /** The time in which the read should end. */
    public Duration deadline() {
        return goal.deadline();
    }

    private static DeadlineChoice given(
            ReadPlan plan, ReadShape shape, ReadGoal goal, String reason, ClientContext context) {
        ReadStrategy usual = ReadStrategy.usual(
                plan.mode(), plan.helpers().size(), shape.replicas().size());
        Prediction prediction =
                TransferModel.predict(shape, usual, context.reads().redundancy());
        return new DeadlineChoice(goal, ReadChoice.of(prediction, goal), Optional.of(reason));
    }

    private static DeadlineChoice chosen(ReadPlan plan, ReadShape shape, ReadGoal goal, ClientContext context) {
        List<Store> stores = plan.stores().stream().map(StoreStatus::store).toList();
        ReadRates rates = context.pricing().rates(stores);
        int helpers = plan.helpers().size();
        return new DeadlineChoice(
                goal,
                SlaPlanner.choose(shape, helpers, goal, rates, context.reads().redundancy()),
                Optional.empty());
    }

    public ReadGoal goal() {
        return goal;
    }

    /** The expected time and cost of the chosen read. */
    public ReadChoice choice() {
        return choice;
    }

    /** The reason why the mode was not chosen for the deadline; empty: it was. */
    public Optional<String> given() {
        return given;
    }

    /** The chosen mode, fan-out and hedge delay; empty: as the plan's mode says. */
    public Optional<ReadStrategy> way() {
        return given.isPresent() ? Optional.empty() : Optional.of(choice.strategy());
    }

    /** The report whether the read met its deadline. */
    public SlaReport kept(Duration elapsed, ReadLedger ledger) {
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
        given.ifPresent(reason -> why.append("; ").append(reason));
        if (!choice.meets()) {
            why.append(
                            given.isPresent()
                                    ? "; it was expected to take "
                                    : "; no way was expected to keep it, this one to take ")
                    .append(text(predicted));
        }
        return new SlaReport(
                goal.deadline(), goal.quantile(), met, why.toString(), choice.strategy(), given.isEmpty(), predicted);
    }

    private static String text(Duration duration) {
        return ReadLedger.text(duration);
    }
}
