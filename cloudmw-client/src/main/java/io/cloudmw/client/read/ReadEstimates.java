package io.cloudmw.client.read;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.client.read.ledger.DeadlineChoice;
import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.cost.ReadRates;
import io.cloudmw.core.cost.plan.ReadShape;
import io.cloudmw.core.cost.plan.TransferModel;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.status.StoreStatus;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Estimates of the time and cost of a read. */
public final class ReadEstimates {
    private static final double HOUR_NANOS = 3.6e12;

    private ReadEstimates() {}

    public static ReadEstimate of(
            ReadPlan plan,
            Optional<Mode> mode,
            Optional<Duration> deadline,
            long linkBytesPerSecond,
            ClientContext context) {
        Pricing pricing = context.pricing();
        long bytes = plan.version().sizeBytes();
        int helpers = plan.helpers().size();
        ReadShape shape = ReadShape.of(plan, bytes, linkBytesPerSecond);
        List<Store> stores = plan.stores().stream().map(StoreStatus::store).toList();
        ReadRates rates = pricing.rates(stores);
        List<ReadEstimate.Offer> offers = new ArrayList<>();
        for (Prediction prediction :
                TransferModel.predictAll(shape, helpers, context.reads().redundancy())) {
            double helperHours = helpers * prediction.time(0.5).toNanos() / HOUR_NANOS;
            double price = rates.price(prediction)
                    + helperHours * pricing.table().helperPerHour().doubleValue();
            offers.add(new ReadEstimate.Offer(prediction, BigDecimal.valueOf(price)));
        }
        ReadPlan wanted = mode.map(plan::withMode).orElse(plan);
        Optional<DeadlineChoice> promise = DeadlineChoice.of(wanted, shape, deadline, mode.isPresent(), context);
        return new ReadEstimate(
                plan.version(),
                plan.mode(),
                helpers,
                offers,
                known(plan, stores.stream().map(Store::id).toList()),
                promise.map(DeadlineChoice::goal),
                promise.map(DeadlineChoice::choice),
                promise.flatMap(DeadlineChoice::given),
                pricing.table().currency(),
                pricing.table().version());
    }

    private static int known(ReadPlan plan, List<StoreId> stores) {
        long bytes = plan.version().sizeBytes();
        return (int) stores.stream()
                .filter(store -> plan.speeds().of(store, bytes).isKnown())
                .count();
    }
}
