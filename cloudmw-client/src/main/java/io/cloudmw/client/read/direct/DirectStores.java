package io.cloudmw.client.read.direct;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.DirectResources;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.rpc.coordinator.SegmentPlan;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.monitor.ReadProbe;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.MonitoredChunkStore;
import io.cloudmw.core.store.disk.DiskChunkStore;
import io.cloudmw.core.store.http.PresignedChunkStore;
import io.netty.buffer.ByteBufAllocator;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
    private final DirectResources resources;

    public DirectStores(ClientContext context, ReadPlan plan) {
        this.context = context;
        resources = context.reads().direct();
        signed = new SignedSegments(
                context.ticker(), index -> context.coordinator().segment(plan.version(), index, true));
        for (StoreStatus status : plan.stores()) {
            stores.put(status.store().id(), status.store());
        }
    }

    /**
     * Finds out in the background which stores this client cannot read by itself, each with the reason.
     *
     * @param byChoice whether helpers would read a store that this client could not read lately
     */
    public CompletableFuture<Map<StoreId, CloudMwException>> unreadable(boolean byChoice) {
        CompletableFuture<Map<StoreId, CloudMwException>> answer = new CompletableFuture<>();
        context.threads().replicas().execute(() -> {
            Map<StoreId, CloudMwException> reasons = new HashMap<>();
            for (Store store : stores.values()) {
                whyUnreadable(store, byChoice).ifPresent(why -> reasons.put(store.id(), why));
            }
            answer.complete(reasons);
        });
        return answer;
    }

    private Optional<CloudMwException> whyUnreadable(Store store, boolean byChoice) {
        if (!(store.kind() instanceof Store.Disk disk)) {
            return byChoice && resources.paths().isOut(store.id())
                    ? Optional.of(new CloudMwException(
                            ErrorCode.STORE_UNAVAILABLE,
                            "store=" + store.id() + ": the client could not reach it lately"))
                    : Optional.empty();
        }
        try {
            ChunkStore unused = disk(store.id(), disk);
            return Optional.empty();
        } catch (CloudMwException e) {
            log.debug("store {} is not reachable from here", store.id(), e);
            return Optional.of(new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    "store=" + store.id() + ": it is a disk of another machine, which only helpers read",
                    e));
        }
    }

    /** The number of stores in the plan. */
    public int size() {
        return stores.size();
    }

    boolean isBucket(StoreId id) {
        Store store = stores.get(id);
        return store != null && !(store.kind() instanceof Store.Disk);
    }

    /** Has the coordinator sign the URLs of the chunk's segment, unless it has done so lately. Blocks. */
    void sign(StoreId store, ManifestReader.Item item) throws CloudMwException {
        URI unused = url(store, item.chunk().chunk().id(), item.segment());
    }

    /** Forgets the URLs of the chunk's segment, which have expired at their store. */
    void renew(ManifestReader.Item item) {
        signed.forget(item.segment());
    }

    /** Begins to measure a read. */
    ReadProbe probe(StoreId store, long bytes) {
        return context.reads().speeds().read(store, bytes);
    }

    /** The store has answered. */
    void answered(StoreId store) {
        resources.paths().answered(store);
    }

    /** A read of the store failed. */
    void failed(StoreId store, CloudMwException cause) {
        if (cause.code() == ErrorCode.STORE_UNAVAILABLE || cause.code() == ErrorCode.STORE_DENIED) {
            resources.paths().failed(store);
        }
    }

    /** The allocator of leaves. */
    ByteBufAllocator allocator() {
        return resources.connections().allocator();
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

    /** The bucket with the URLs of the chunk's segment. */
    PresignedChunkStore bucket(StoreId id, ManifestReader.Item item) {
        return new PresignedChunkStore(
                id, chunk -> Optional.of(url(id, chunk, item.segment())), resources.connections());
    }

    private URI url(StoreId store, ChunkId chunk, int segment) throws CloudMwException {
        SegmentPlan answer = signed(segment);
        for (PlannedChunk planned : answer.chunks()) {
            URI url = planned.direct().get(store);
            if (url != null && planned.chunk().id().equals(chunk)) {
                return url;
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
    }
}
