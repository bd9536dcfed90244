package io.cloudmw.client.progress;

import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.ReadChoice;
import io.cloudmw.core.cost.ReadGoal;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.file.FileVersion;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An estimate of a get's time and cost, in each mode.
 *
 * @param mode the mode of the volume
 * @param helpers the number of helpers that would take part
 * @param offers an offer for each mode, in the order of the modes
 * @param known stores of replicas whose speeds are known; the others count as ordinary
 * @param goal the target of the volume or the caller
 * @param choice the mode that the goal would choose
 * @param given the reason why the goal did not choose the mode; empty: it did
 * @param currency the currency of all prices
 * @param priceVersion the version of the price table
 */
public record ReadEstimate(
        FileVersion version,
        Mode mode,
        int helpers,
        List<Offer> offers,
        int known,
        Optional<ReadGoal> goal,
        Optional<ReadChoice> choice,
        Optional<String> given,
        String currency,
        String priceVersion) {
    public ReadEstimate {
        offers = List.copyOf(offers);
    }

    /**
     * Modes that would be faster than the goal's choice where the choice misses the goal. {@code rounds} and {@code
     * chunked} are never chosen. {@code kn} is not chosen where it misses the goal too or stores are slow as a whole.
     * Nor is a mode whose second attempts exceed the budget.
     */
    public List<Prediction> faster() {
        if (goal.isEmpty()
                || choice.isEmpty()
                || given.isPresent()
                || choice.get().meets()) {
            return List.of();
        }
        double quantile = goal.get().quantile();
        Duration chosen = choice.get().prediction().time(quantile);
        return offers.stream()
                .map(Offer::prediction)
                .filter(prediction -> prediction.time(quantile).compareTo(chosen) < 0)
                .toList();
    }

    /** A mode of reading, and its price. */
    public record Offer(Prediction prediction, BigDecimal price) {}
}
