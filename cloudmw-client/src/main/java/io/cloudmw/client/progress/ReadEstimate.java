package io.cloudmw.client.progress;

import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.SlaPlanner;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Mode;
import java.math.BigDecimal;
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
        String currency,
        String priceVersion) {
    public ReadEstimate {
        offers = List.copyOf(offers);
    }

    /** One way to read and what it costs. */
    public record Offer(Prediction prediction, BigDecimal price) {}
}
