package io.cloudmw.core.cost;

/**
 * The way to read that was chosen for a goal.
 *
 * @param prediction of the way chosen
 * @param meets whether it is expected to keep the goal
 */
public record ReadChoice(Prediction prediction, boolean meets) {
    /** The choice of a predicted way, which meets the goal when its time does. */
    public static ReadChoice of(Prediction prediction, ReadGoal goal) {
        return new ReadChoice(prediction, prediction.time(goal.quantile()).compareTo(goal.deadline()) <= 0);
    }

    /** The way to read. */
    public ReadStrategy strategy() {
        return prediction.strategy();
    }
}
