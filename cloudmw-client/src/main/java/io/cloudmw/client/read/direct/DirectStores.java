package io.cloudmw.client.read.direct;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.rpc.coordinator.SegmentPlan;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.MonitoredChunkStore;
import io.cloudmw.core.store.disk.DiskChunkStore;
import io.cloudmw.core.store.http.HttpTimeouts;
import io.cloudmw.core.store.http.PresignedChunkStore;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores that a client can read directly: disks whose directory is on this machine, and buckets through URLs
 * signed by the coordinator. Opening blocks; safe for any thread.
 */
public final class DirectStores {
    private static final Logger log = LoggerFactory.getLogger(DirectStores.class);

    private final ClientContext context;
    private final Map<StoreId, Store> stores = new HashMap<>();
    private final Map<StoreId, ChunkStore> disks = new HashMap<>();
    private final SignedSegments signed;
    private @Nullable HttpClient http;

    public DirectStores(ClientContext context, ReadPlan plan) {
        this.context = context;
        signed = new SignedSegments(
                context.ticker(), index -> context.coordinator().segment(plan.version(), index, true));
        for (StoreStatus status : plan.stores()) {
            stores.put(status.store().id(), status.store());
        }
    }

    /** Tests in the background whether any store can be reached. */
    public CompletableFuture<Boolean> reachable() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        context.threads()
                .replicas()
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
     * The store from which to read this chunk.
     *
     * @throws CloudMwException when the store cannot be read from here
     */
    public ChunkStore open(StoreId id, ManifestReader.Item item) throws CloudMwException {
        Store store = stores.get(id);
        if (store == null) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store " + id + " is not in the plan");
        }
        ChunkStore opened = store.kind() instanceof Store.Disk disk ? disk(id, disk) : bucket(id, item);
        return new MonitoredChunkStore(opened, context.reads().speeds());
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

    private ChunkStore bucket(StoreId id, ManifestReader.Item item) {
        return new PresignedChunkStore(id, chunk -> url(id, chunk, item.segment()), http(), HttpTimeouts.DEFAULT);
    }

    private HttpClient http() {
        synchronized (signed) {
            if (http == null) {
                http = PresignedChunkStore.client(HttpTimeouts.DEFAULT);
            }
            return http;
        }
    }

    private Optional<URI> url(StoreId store, ChunkId chunk, int segment) throws CloudMwException {
        SegmentPlan answer = signed(segment);
        for (PlannedChunk planned : answer.chunks()) {
            URI url = planned.direct().get(store);
            if (url != null && planned.chunk().id().equals(chunk)) {
                return Optional.of(url);
            }
        }
        throw new CloudMwException(
                ErrorCode.STORE_DENIED,
                "chunk=" + chunk + " store=" + store + ": "
                        + answer.unsigned()
                                .getOrDefault(
                                        store,
                                        "the coordinator could not sign a URL for it"
                                                + " (cloudmw store ls says who cannot use it)"));
    }

    private SegmentPlan signed(int segment) throws CloudMwException {
        try {
            return signed.of(segment).join();
        } catch (RuntimeException e) {
            throw Failures.of(e);
        }
    }

    public void close() {
        synchronized (disks) {
            disks.values().forEach(ChunkStore::close);
            disks.clear();
        }
        synchronized (signed) {
            if (http != null) {
                PresignedChunkStore.end(http);
                http = null;
            }
        }
    }
}
