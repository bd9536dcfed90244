package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.cost.ReadShape;
import io.cloudmw.core.cost.SlaPlanner;
import io.cloudmw.core.cost.TransferModel;
import io.cloudmw.core.cost.Usage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.StoreStatus;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** What a read or a put would take if it were carried out. */
final class Estimates {
    private static final double HOUR_NANOS = 3.6e12;

    private Estimates() {}

    static ReadEstimate of(
            ReadPlan plan, Optional<Mode> mode, Optional<Duration> deadline, long linkBytesPerSecond, Engine engine) {
        Pricing pricing = engine.pricing();
        long bytes = plan.version().sizeBytes();
        int helpers = plan.helpers().size();
        ReadShape shape = ReadShape.of(plan, bytes, linkBytesPerSecond);
        List<Store> stores = plan.stores().stream().map(StoreStatus::store).toList();
        SlaPlanner.Rates rates = pricing.rates(stores);
        List<ReadEstimate.Offer> offers = new ArrayList<>();
        for (Prediction prediction : TransferModel.predictAll(shape, helpers, engine.governor())) {
            double helperHours = helpers * prediction.time(0.5).toNanos() / HOUR_NANOS;
            double price = rates.price(prediction)
                    + helperHours * pricing.table().helperPerHour().doubleValue();
            offers.add(new ReadEstimate.Offer(prediction, BigDecimal.valueOf(price)));
        }
        ReadPlan wanted = mode.map(plan::withMode).orElse(plan);
        Optional<Promise> promise = Promise.of(wanted, shape, deadline, mode.isPresent(), engine);
        return new ReadEstimate(
                plan.version(),
                plan.mode(),
                helpers,
                offers,
                known(plan, stores.stream().map(Store::id).toList()),
                promise.map(Promise::goal),
                promise.map(Promise::choice),
                promise.flatMap(Promise::given),
                pricing.table().currency(),
                pricing.table().version());
    }

    /** Copies go round the volume's stores; where there are as many as copies, every store gets one of each chunk. */
    static PutEstimate ofPut(Volume volume, List<StoreStatus> known, long sizeBytes, Pricing pricing) {
        long chunks = ChunkCutter.of(sizeBytes, volume.chunking()).count();
        if (chunks > ChunkId.MAX_INDEX + 1) {
            throw new CompletionException(new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "size: " + sizeBytes + " makes " + chunks + " chunks (expected: <= " + (ChunkId.MAX_INDEX + 1)
                            + ")"));
        }
        long writes = chunks * volume.replicas();
        int stores = volume.stores().size();
        Map<StoreId, Usage> usage = new HashMap<>();
        for (int i = 0; i < stores; i++) {
            long own = writes / stores + (i < writes % stores ? 1 : 0);
            if (own > 0) {
                long bytes = own == chunks ? sizeBytes : Math.round((double) sizeBytes / chunks * own);
                usage.put(volume.stores().get(i), Usage.ofWrites(own, bytes));
            }
        }
        List<Store> named = known.stream().map(StoreStatus::store).toList();
        TransferCost cost = new TransferCost(usage, pricing.bill(usage, named, 0));
        return new PutEstimate(volume.name(), sizeBytes, chunks, volume.replicas(), cost);
    }

    private static int known(ReadPlan plan, List<StoreId> stores) {
        long bytes = plan.version().sizeBytes();
        return (int) stores.stream()
                .filter(store -> plan.speeds().of(store, bytes).isKnown())
                .count();
    }
}
