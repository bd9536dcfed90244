package io.cloudmw.client.transfer;

import io.cloudmw.client.rpc.CoordinatorClient;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.VersionId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Collects stored chunks, in any order, and hands each segment to the coordinator when it is full and all before it
 * were. Confined to the transfer.
 */
final class ManifestWriter {
    private final CoordinatorClient coordinator;
    private final VersionId version;
    private final ManifestPlan plan;
    private final ManifestDigest digest;
    private final Executor serial;
    private final IntConsumer done;
    private final Consumer<CloudMwException> failed;
    private final TreeMap<Long, Chunk> waiting = new TreeMap<>();
    private int nextSegment;
    private int written;

    /** @param done told the number of segments when the last is written; like {@code failed}, in {@code serial} */
    ManifestWriter(
            CoordinatorClient coordinator,
            VersionId version,
            ManifestPlan plan,
            ManifestDigest digest,
            Executor serial,
            IntConsumer done,
            Consumer<CloudMwException> failed) {
        this.coordinator = coordinator;
        this.version = version;
        this.plan = plan;
        this.digest = digest;
        this.serial = serial;
        this.done = done;
        this.failed = failed;
    }

    void add(Chunk chunk) {
        waiting.put(chunk.index(), chunk);
        while (nextSegment < plan.segmentCount() && isFull(nextSegment)) {
            write(nextSegment++);
        }
    }

    private boolean isFull(int segment) {
        long first = plan.firstChunk(segment);
        int count = plan.chunkCount(segment);
        return waiting.subMap(first, first + count).size() == count;
    }

    private void write(int segment) {
        List<Chunk> chunks = new ArrayList<>(plan.chunkCount(segment));
        for (int i = 0; i < plan.chunkCount(segment); i++) {
            Chunk chunk = waiting.remove(plan.firstChunk(segment) + i);
            if (chunk == null) {
                throw new IllegalStateException("segment " + segment + " is not full");
            }
            chunks.add(chunk);
        }
        digest.add(ManifestDigest.ofSegment(new ManifestSegment(segment, chunks).encode()));
        var unused = coordinator
                .putSegment(version, segment, chunks)
                .whenComplete((nothing, failure) -> serial.execute(() -> {
                    if (failure != null) {
                        failed.accept(Failures.of(failure));
                    } else if (++written == plan.segmentCount()) {
                        done.accept(written);
                    }
                }));
    }
}
