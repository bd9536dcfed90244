package io.cloudmw.client.transfer;

import io.cloudmw.client.rpc.PlannedSegment;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.disk.DiskChunkStore;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas a client can reach by itself: disks whose directory is here and is theirs, and buckets through URLs the
 * coordinator signs. Opening blocks; any thread.
 */
final class LocalStores {
    private static final Logger log = LoggerFactory.getLogger(LocalStores.class);
    private static final int SEGMENTS_KEPT = 4;

    private final Engine engine;
    private final ReadPlan plan;
    private final Map<StoreId, Store> stores = new HashMap<>();
    private final Map<StoreId, ChunkStore> disks = new HashMap<>();
    private final Map<Integer, CompletableFuture<PlannedSegment>> signed = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, CompletableFuture<PlannedSegment>> eldest) {
            return size() > SEGMENTS_KEPT;
        }
    };

    LocalStores(Engine engine, ReadPlan plan) {
        this.engine = engine;
        this.plan = plan;
        for (StoreStatus status : plan.stores()) {
            stores.put(status.store().id(), status.store());
        }
    }

    /** Whether there is any. */
    CompletableFuture<Boolean> reachable() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        engine.threads()
                .reads()
                .execute(() -> answer.complete(stores.values().stream().anyMatch(this::isReachable)));
        return answer;
    }

    private boolean isReachable(Store store) {
        if (!(store.kind() instanceof Store.Disk disk)) {
            return true;
        }
        try {
            disk(store.id(), disk);
            return true;
        } catch (CloudMwException e) {
            log.debug("store {} is not reachable from here", store.id(), e);
            return false;
        }
    }

    /**
     * The store to read this chunk from.
     *
     * @throws CloudMwException when it is not to be read, or not from here
     */
    ChunkStore open(StoreId id, SegmentFeed.Item item) throws CloudMwException {
        if (item.chunk().bad().contains(id)) {
            throw new CloudMwException(
                    ErrorCode.NO_REPLICA, "chunk=" + item.chunk().chunk().id() + " store=" + id + ": known to be bad");
        }
        Store store = stores.get(id);
        if (store == null) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store " + id + " is not in the plan");
        }
        return store.kind() instanceof Store.Disk disk ? disk(id, disk) : bucket(id, item);
    }

    private ChunkStore disk(StoreId id, Store.Disk disk) throws CloudMwException {
        synchronized (disks) {
            ChunkStore open = disks.get(id);
            if (open == null) {
                open = DiskChunkStore.openForReading(id, disk.path());
                disks.put(id, open);
            }
            return open;
        }
    }

    private ChunkStore bucket(StoreId id, SegmentFeed.Item item) throws CloudMwException {
        CompletableFuture<PlannedSegment> answer;
        synchronized (signed) {
            answer = signed.get(item.segment());
            if (answer == null || answer.isCompletedExceptionally()) {
                answer = engine.coordinator().segment(plan.version(), item.segment(), true);
                signed.put(item.segment(), answer);
            }
        }
        PlannedSegment segment;
        try {
            segment = answer.join();
        } catch (RuntimeException e) {
            throw Failures.of(e);
        }
        for (PlannedChunk chunk : segment.chunks()) {
            if (chunk.chunk().id().equals(item.chunk().chunk().id())
                    && chunk.direct().containsKey(id)) {
                throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store " + id + ": presigned reads follow");
            }
        }
        throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store " + id + ": the coordinator gave no URL");
    }

    void close() {
        synchronized (disks) {
            disks.values().forEach(ChunkStore::close);
            disks.clear();
        }
    }
}
