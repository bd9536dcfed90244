package io.cloudmw.client.write;

import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.StoreStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/** Estimates of the cost of a put. */
public final class PutEstimates {
    private PutEstimates() {}

    /**
     * Estimates a put of so many bytes. Replicas are spread over the volume's stores in turn; with as many stores as
     * replicas, every store gets one of each chunk.
     */
    public static PutEstimate of(Volume volume, List<StoreStatus> known, long sizeBytes, Pricing pricing) {
        long chunks = ChunkCutter.of(sizeBytes, volume.chunking()).count();
        if (chunks > ChunkId.MAX_INDEX + 1) {
            throw new CompletionException(new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "size: " + sizeBytes + " makes " + chunks + " chunks (expected: <= " + (ChunkId.MAX_INDEX + 1)
                            + ")"));
        }
        long writes = chunks * volume.replicas();
        int stores = volume.stores().size();
        Map<StoreId, StoreUsage> usage = new HashMap<>();
        for (int i = 0; i < stores; i++) {
            long own = writes / stores + (i < writes % stores ? 1 : 0);
            if (own > 0) {
                long bytes = own == chunks ? sizeBytes : Math.round((double) sizeBytes / chunks * own);
                usage.put(volume.stores().get(i), StoreUsage.ofWrites(own, bytes));
            }
        }
        List<Store> named = known.stream().map(StoreStatus::store).toList();
        TransferCost cost = new TransferCost(usage, pricing.bill(usage, named, 0));
        return new PutEstimate(volume.name(), sizeBytes, chunks, volume.replicas(), cost);
    }
}
