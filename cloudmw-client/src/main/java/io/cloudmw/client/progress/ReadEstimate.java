package io.cloudmw.client.progress;

import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.SlaPlanner;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Mode;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a get is expected to take, before it.
 *
 * @param mode of the volume
 * @param helpers that would take part
 * @param offers every mode's, in the order of the modes
 * @param known replicas' stores of which speeds are known; the others are taken to be ordinary
 * @param goal what is promised, by the volume or the caller
 * @param choice how it would be read because of that
 * @param given why the goal did not choose that way; empty: it did
 * @param currency of all prices
 * @param priceVersion of the table they are from
 */
public record ReadEstimate(
        FileVersion version,
        Mode mode,
        int helpers,
        List<Offer> offers,
        int known,
        Optional<SlaPlanner.Goal> goal,
        Optional<SlaPlanner.Choice> choice,
        Optional<String> given,
        String currency,
        String priceVersion) {
    public ReadEstimate {
        offers = List.copyOf(offers);
    }

    /**
     * Modes that would be faster than the goal's choice where that does not keep it. They were left out: {@code rounds} and
     * {@code chunked} always, {@code kn} where it would not keep it either or stores are slow as a whole, and what makes
     * more second attempts than the budget has.
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

    /** One way to read and what it costs. */
    public record Offer(Prediction prediction, BigDecimal price) {}
}
