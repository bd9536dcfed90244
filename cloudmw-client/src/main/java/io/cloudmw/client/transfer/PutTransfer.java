package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.BegunPut;
import io.cloudmw.core.catalog.CatalogErrors;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.cost.Usage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.WritePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One put from its beginning to its commit: asks how to cut, lets {@link Sending} store the chunks, writes the manifest
 * segment by segment, and commits by compare-and-set. Its state is confined to its serial executor. What a failed put
 * has stored is garbage, which the coordinator gives up after a while.
 */
final class PutTransfer extends ConfinedTransfer<PutReceipt> implements Sending.Outcome {
    private static final Logger log = LoggerFactory.getLogger(PutTransfer.class);

    private final PutRequest request;
    private final Executor source;
    private final VersionId version = VersionId.random();
    private final List<ReplicaReport> owed = new ArrayList<>();
    private final Map<StoreId, Store> stores = new HashMap<>();
    private final Map<StoreId, Usage> usage = new HashMap<>();
    /** Those that took a chunk. */
    private final Set<HelperId> helpers = new HashSet<>();

    private final ManifestDigest digest = new ManifestDigest();
    private @Nullable Sending sending;
    private @Nullable BegunPut begun;
    private @Nullable ManifestWriter manifest;
    private long size;
    private long stored;
    private long progressed;

    PutTransfer(Engine engine, PutRequest request) {
        super(engine, request.file().toString());
        this.request = request;
        ClientThreads threads = engine.threads();
        source = request.source().isStream() ? threads.sources() : threads.files();
    }

    @Override
    void begin() {
        blocking(() -> request.source().open(), this::opened);
    }

    private void opened(long bytes) {
        size = bytes;
        then(engine().coordinator().beginPut(request.file(), bytes, version), this::begun);
    }

    private void begun(BegunPut answer) {
        if (request.condition().isPresent()
                && !request.condition().get().version().equals(answer.expected())) {
            fail(CatalogErrors.changed(request.file(), request.condition().get().version(), answer.expected()));
            return;
        }
        begun = answer;
        if (size == 0) {
            checkAndCommit(0);
            return;
        }
        ManifestPlan plan;
        try {
            plan = new ManifestPlan(new ChunkCutter(size, answer.chunkSizeBytes()), answer.leafSizeBytes());
        } catch (IllegalArgumentException e) {
            fail(Failures.violation("begin put: " + e.getMessage()));
            return;
        }
        manifest = new ManifestWriter(
                engine().coordinator(), version, plan, digest, serial(), this::checkAndCommit, this::failed);
        Sending started = new Sending(engine(), serial(), request, version, plan, answer, this);
        sending = started;
        started.start();
    }

    @Override
    public void progressed(long bytes) {
        progressed += bytes;
        try {
            request.listener().progressed(progressed, size);
        } catch (RuntimeException e) {
            log.warn("{} failed", TransferListener.class.getSimpleName(), e);
        }
    }

    @Override
    public void placed(List<Store> named) {
        named.forEach(store -> stores.put(store.id(), store));
    }

    @Override
    public void stored(Chunk chunk, PlacedChunk placed, List<StoreId> durable) {
        if (isOver() || manifest == null) {
            return;
        }
        stored += durable.size();
        helpers.add(placed.helper());
        for (StoreId asked : placed.writable()) {
            usage.merge(asked, Usage.ofWrites(1, chunk.range().length()), Usage::plus);
        }
        placed.stores().stream()
                .filter(store -> !durable.contains(store))
                .forEach(store -> owed.add(new ReplicaReport(chunk.id(), store, ReplicaState.OWED)));
        try {
            WritePlan.checkOwed(request.file(), owed.size());
        } catch (CloudMwException e) {
            fail(e);
            return;
        }
        manifest.add(chunk);
    }

    private void checkAndCommit(int segments) {
        if (isOver()) {
            return;
        }
        blocking(
                () -> {
                    request.source().checkUnchanged();
                    return segments;
                },
                this::commit);
    }

    private void commit(int segments) {
        BegunPut put = begun;
        if (put == null) {
            throw new IllegalStateException("not begun");
        }
        FileVersion committing = new FileVersion(
                request.file(),
                version,
                size,
                size == 0 ? 0 : put.chunkCount(),
                segments,
                put.leafSizeBytes(),
                0,
                digest.finish());
        then(engine().coordinator().commitPut(committing, put.expected(), owed), this::committed);
    }

    private void committed(FileVersion committed) {
        Duration took = elapsed();
        long helperNanos = took.toNanos() * helpers.size();
        TransferCost cost = new TransferCost(usage, engine().pricing().bill(usage, stores.values(), helperNanos));
        succeed(new PutReceipt(committed, stored, owed.size(), took, cost));
    }

    @Override
    public void failed(CloudMwException cause) {
        fail(cause);
    }

    @Override
    void stop(ErrorCode why) {
        if (sending != null) {
            sending.close();
        }
    }

    @Override
    void free() {
        request.source().close();
    }

    private <T> void blocking(Blocking<T> work, Consumer<T> next) {
        CompletableFuture<T> done = new CompletableFuture<>();
        source.execute(() -> {
            try {
                done.complete(work.run());
            } catch (CloudMwException | RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        then(done, next);
    }

    private interface Blocking<T> {
        T run() throws CloudMwException;
    }
}
