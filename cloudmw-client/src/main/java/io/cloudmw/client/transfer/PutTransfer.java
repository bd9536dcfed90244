package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.BegunPut;
import io.cloudmw.client.rpc.CancellableFuture;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.thread.SerialExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
final class PutTransfer implements Transfer, Sending.Outcome {
    private static final Logger log = LoggerFactory.getLogger(PutTransfer.class);

    private final Engine engine;
    private final PutRequest request;
    private final SerialExecutor serial;
    private final SerialExecutor files;
    private final Executor source;
    private final VersionId version = VersionId.random();
    private final CancellableFuture<PutReceipt> result = new CancellableFuture<>(this::cancel);
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final long startedNanos;
    private final List<ReplicaReport> owed = new ArrayList<>();
    private final ManifestDigest digest = new ManifestDigest();
    private @Nullable CompletableFuture<?> pending;
    private @Nullable Sending sending;
    private @Nullable BegunPut begun;
    private @Nullable ManifestWriter manifest;
    private long size;
    private long stored;
    private long progressed;
    private boolean over;
    private boolean broken;

    PutTransfer(Engine engine, PutRequest request) {
        this.engine = engine;
        this.request = request;
        ClientThreads threads = engine.threads();
        serial = new SerialExecutor(threads.events(), this::broken);
        files = new SerialExecutor(threads.files(), this::broken);
        source = request.source().isStream() ? threads.sources() : threads.files();
        startedNanos = engine.ticker().nanos();
    }

    CancellableFuture<PutReceipt> result() {
        return result;
    }

    @Override
    public CompletableFuture<Void> settled() {
        return settled;
    }

    @Override
    public void start() {
        blocking(() -> request.source().open(), this::opened);
    }

    @Override
    public void cancel() {
        serial.execute(() -> failed(new CloudMwException(ErrorCode.CANCELLED, request.file() + ": put cancelled")));
    }

    private void opened(long bytes) {
        size = bytes;
        then(engine.coordinator().beginPut(request.file(), bytes, version), this::begun);
    }

    private void begun(BegunPut answer) {
        begun = answer;
        if (size == 0) {
            checkAndCommit(0);
            return;
        }
        ManifestPlan plan;
        try {
            plan = new ManifestPlan(new ChunkCutter(size, answer.chunkSizeBytes()), answer.leafSizeBytes());
        } catch (IllegalArgumentException e) {
            failed(Failures.violation("begin put: " + e.getMessage()));
            return;
        }
        manifest = new ManifestWriter(
                engine.coordinator(), version, plan, digest, serial, this::checkAndCommit, this::failed);
        Sending started = new Sending(engine, serial, request, version, plan, answer, this);
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
    public void stored(Chunk chunk, int copies, List<ReplicaReport> owing) {
        if (over || manifest == null) {
            return;
        }
        stored += copies;
        owed.addAll(owing);
        manifest.add(chunk);
    }

    private void checkAndCommit(int segments) {
        if (over) {
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
        then(engine.coordinator().commitPut(committing, put.expected(), owed), this::committed);
    }

    private void committed(FileVersion committed) {
        over = true;
        Duration elapsed = Duration.ofNanos(engine.ticker().nanos() - startedNanos);
        PutReceipt receipt = new PutReceipt(committed, stored, owed.size(), elapsed);
        finish(() -> result.complete(receipt));
    }

    @Override
    public void failed(CloudMwException cause) {
        if (!over) {
            over = true;
            end(cause);
        }
    }

    /** A task threw: nobody may wait for what it would have done. Any thread. */
    private void broken(Throwable defect) {
        serial.execute(() -> {
            if (!broken) {
                broken = true;
                over = true;
                end(Failures.of(defect));
            }
        });
    }

    private void end(CloudMwException cause) {
        if (pending != null) {
            pending.cancel(true);
        }
        finish(() -> result.completeExceptionally(cause));
    }

    private void finish(Runnable completion) {
        try {
            if (sending != null) {
                sending.close();
            }
        } finally {
            files.execute(() -> close(completion));
        }
    }

    private void close(Runnable completion) {
        try {
            request.source().close();
        } finally {
            settled.complete(null);
            completion.run();
        }
    }

    /** Continues on the serial executor with what a call gives. */
    private <T> void then(CompletableFuture<T> call, Consumer<T> next) {
        pending = call;
        var unused = call.whenComplete((answer, failure) -> serial.execute(() -> {
            if (over) {
                return;
            }
            if (failure != null) {
                failed(Failures.of(failure));
            } else {
                next.accept(answer);
            }
        }));
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
