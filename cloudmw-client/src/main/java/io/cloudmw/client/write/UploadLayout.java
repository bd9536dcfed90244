package io.cloudmw.client.write;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.ByteRange;
import java.util.Optional;

/**
 * The chunks into which a put cuts its source. A source of unknown length is cut as the longest file there may be,
 * until it ends. Confined to the transfer.
 */
final class UploadLayout {
    private ManifestPlan plan;
    private boolean openEnded;

    /** @param openEnded whether the source may end before the plan does */
    UploadLayout(ManifestPlan plan, boolean openEnded) {
        this.plan = plan;
        this.openEnded = openEnded;
    }

    /** Returns whether the length of the source is still unknown. */
    boolean isOpenEnded() {
        return openEnded;
    }

    long count() {
        return plan.cutter().count();
    }

    ByteRange range(long index) {
        return plan.cutter().range(index);
    }

    /** The cutter of the whole file; empty while its length is unknown. */
    Optional<ChunkCutter> cutter() {
        return openEnded ? Optional.empty() : Optional.of(plan.cutter());
    }

    /** A cutter that cuts this chunk as it is cut. While the length is unknown, the chunk counts as the last one. */
    ChunkCutter cutterOf(ByteRange chunk) {
        return openEnded ? new ChunkCutter(chunk.end(), plan.cutter().chunkSizeBytes()) : plan.cutter();
    }

    /** The source ended after so many bytes. */
    void end(long sizeBytes) {
        openEnded = false;
        plan = new ManifestPlan(new ChunkCutter(sizeBytes, plan.cutter().chunkSizeBytes()), plan.leafSizeBytes());
    }
}
