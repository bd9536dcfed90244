package io.cloudmw.client.transfer;

import io.cloudmw.client.rpc.PlannedSegment;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.placement.PlannedChunk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** Whether a file of this machine has the bytes of a version, by the digests of its leaves: a segment at a time. */
final class ContentComparison implements KeptLeaves.Bytes {
    private final Engine engine;
    private final FileVersion version;
    private final FileSource source;

    private ContentComparison(Engine engine, FileVersion version, FileSource source) {
        this.engine = engine;
        this.version = version;
        this.source = source;
    }

    static CompletableFuture<Boolean> of(Engine engine, Path path, FileVersion version) {
        FileSource source = new FileSource(path);
        Executor files = engine.threads().files();
        ContentComparison comparison = new ContentComparison(engine, version, source);
        return CompletableFuture.supplyAsync(comparison::isAsLong, files)
                .thenCompose(asLong -> asLong ? comparison.from(0) : CompletableFuture.completedFuture(false))
                .whenCompleteAsync((same, failure) -> source.close(), files);
    }

    private boolean isAsLong() {
        try {
            return source.open().orElse(-1) == version.sizeBytes();
        } catch (CloudMwException e) {
            throw new CompletionException(e);
        }
    }

    private CompletableFuture<Boolean> from(int segment) {
        if (segment == version.segmentCount()) {
            return CompletableFuture.completedFuture(true);
        }
        return engine.coordinator()
                .segment(version, segment, false)
                .thenApplyAsync(this::isSame, engine.threads().files())
                .thenCompose(same -> same ? from(segment + 1) : CompletableFuture.completedFuture(false));
    }

    private boolean isSame(PlannedSegment segment) {
        try {
            for (PlannedChunk planned : segment.chunks()) {
                Chunk chunk = planned.chunk();
                ByteRange all = new ByteRange(0, chunk.range().length());
                if (!KeptLeaves.missing(this, chunk, all).isEmpty()) {
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
