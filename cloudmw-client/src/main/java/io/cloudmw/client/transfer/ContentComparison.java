package io.cloudmw.client.transfer;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.rpc.CancellableFuture;
import io.cloudmw.client.rpc.coordinator.SegmentPlan;
import io.cloudmw.client.sink.PartialFileCheck;
import io.cloudmw.client.write.FilePutSource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.PlannedChunk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** A comparison of a local file with a version, by the digests of its leaves, a segment at a time. */
final class ContentComparison implements PartialFileCheck.Bytes {
    private final ClientContext context;
    private final FileVersion version;
    private final FilePutSource source;
    private volatile boolean cancelled;

    private ContentComparison(ClientContext context, FileVersion version, FilePutSource source) {
        this.context = context;
        this.version = version;
        this.source = source;
    }

    /** Starts a comparison. Cancelling the future, or a derived one, ends it after the current chunk. */
    static CompletableFuture<Boolean> of(ClientContext context, Path path, FileVersion version) {
        return new ContentComparison(context, version, new FilePutSource(path)).begin();
    }

    private CompletableFuture<Boolean> begin() {
        Executor files = context.threads().files();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        CancellableFuture<Boolean> result = new CancellableFuture<>(() -> cancelled = true, closed);
        var unused = CompletableFuture.supplyAsync(this::isAsLong, files)
                .thenCompose(asLong -> asLong ? from(0) : CompletableFuture.completedFuture(false))
                .whenCompleteAsync(
                        (same, failure) -> {
                            source.close();
                            closed.complete(null);
                            if (failure == null) {
                                result.complete(same);
                            } else {
                                result.completeExceptionally(Failures.of(failure));
                            }
                        },
                        files);
        return result;
    }

    private boolean isAsLong() {
        try {
            return source.open().orElse(-1) == version.sizeBytes();
        } catch (CloudMwException e) {
            throw new CompletionException(e);
        }
    }

    private void requireWanted() throws CloudMwException {
        if (cancelled) {
            throw new CloudMwException(ErrorCode.CANCELLED, version.file() + ": is not compared any more");
        }
    }

    private CompletableFuture<Boolean> from(int segment) {
        if (segment == version.segmentCount()) {
            return CompletableFuture.completedFuture(true);
        }
        return context.coordinator()
                .segment(version, segment, false)
                .thenApplyAsync(this::isSame, context.threads().files())
                .thenCompose(same -> same ? from(segment + 1) : CompletableFuture.completedFuture(false));
    }

    private boolean isSame(SegmentPlan segment) {
        try {
            for (PlannedChunk planned : segment.chunks()) {
                requireWanted();
                Chunk chunk = planned.chunk();
                ByteRange all = new ByteRange(0, chunk.range().length());
                if (!PartialFileCheck.missing(this, chunk, all).isEmpty()) {
                    return false;
                }
            }
            return true;
        } catch (CloudMwException e) {
            throw new CompletionException(e);
        }
    }

    @Override
    public long keptBytes() {
        return version.sizeBytes();
    }

    @Override
    public void read(long offset, ByteBuffer into) throws CloudMwException {
        source.read(offset, into);
    }
}
