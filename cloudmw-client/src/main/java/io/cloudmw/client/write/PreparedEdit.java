package io.cloudmw.client.write;

import io.cloudmw.client.manifest.BaseChunks;
import io.cloudmw.client.manifest.OriginChunks;
import io.cloudmw.client.manifest.OriginChunks.Origin;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.VersionPart;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A change of part of a file that is ready to be put: the put's source has every byte that neither the base nor a part
 * provides.
 *
 * @param changed the chunks that are written
 * @param parts other versions that provide chunks, in order, also where the base has some; they are cut like the new
 *     version
 */
public record PreparedEdit(EditParameters begun, ChangedChunks changed, List<Origin> parts) {
    public PreparedEdit {
        parts = List.copyOf(parts);
    }

    /** A change whose other chunks are all the base's. */
    public PreparedEdit(EditParameters begun, ChangedChunks changed) {
        this(begun, changed, List.of());
    }

    /** The layout of the new version. */
    private ManifestPlan plan() {
        return new ManifestPlan(
                new ChunkCutter(begun.sizeBytes(), begun.put().chunkSizeBytes()),
                begun.put().leafSizeBytes());
    }

    /** The chunks of the base and of the parts, at their places in the new version. */
    public OriginChunks origins(CoordinatorClient coordinator) {
        List<Origin> origins = new ArrayList<>();
        if (begun.base().isPresent()
                && begun.baseChunkSizeBytes() == begun.put().chunkSizeBytes()) {
            origins.add(new Origin(begun.base().get(), 0));
        }
        origins.addAll(parts);
        return new OriginChunks(coordinator, plan(), origins);
    }

    /** The chunks that the base and the parts provide. */
    public BaseChunks base(CoordinatorClient coordinator) {
        OriginChunks origins = origins(coordinator);
        return new BaseChunks() {
            @Override
            public int count(long firstIndex, int chunks) {
                return Math.toIntExact(chunks - changed.among(firstIndex, firstIndex + chunks));
            }

            @Override
            public CompletableFuture<List<Chunk>> of(int segment) {
                return origins.of(segment, index -> !changed.contains(index));
            }
        };
    }

    /** The parts that provide a chunk, for the commit. */
    List<VersionPart> shared() {
        List<VersionPart> shared = new ArrayList<>();
        long chunkSize = begun.put().chunkSizeBytes();
        for (Origin part : parts) {
            long end = part.firstIndex() + new ChunkCutter(part.version().sizeBytes(), chunkSize).count();
            if (changed.among(part.firstIndex(), end) < end - part.firstIndex()) {
                shared.add(new VersionPart(part.version().file(), part.version().id(), part.firstIndex() * chunkSize));
            }
        }
        return shared;
    }
}
