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

/**
 * Collects stored chunks, in any order, and hands each segment to the coordinator when it is full and all before it
 * were. Confined to the transfer.
 */
final class ManifestWriter {
    /** Told in the transfer's executor. */
    interface Outcome {
        /** The coordinator has this segment. */
        void written(int segment, byte[] sha256);

        /** It has all of them, so many. */
        void written(int segments);

        void failed(CloudMwException cause);
    }

    private final CoordinatorClient coordinator;
    private final VersionId version;
    private ManifestPlan plan;
    private final ManifestDigest digest;
    private final Executor serial;
    private final Outcome outcome;
    private final TreeMap<Long, Chunk> waiting = new TreeMap<>();
    private int nextSegment;
    private int written;

    /** @param digest gets every segment */
    ManifestWriter(
            CoordinatorClient coordinator,
            VersionId version,
            ManifestPlan plan,
            ManifestDigest digest,
            Executor serial,
            Outcome outcome) {
        this.coordinator = coordinator;
        this.version = version;
        this.plan = plan;
        this.digest = digest;
        this.serial = serial;
        this.outcome = outcome;
    }

    /** Before anything is added: the coordinator has the first segments already; these are their SHA-256. */
    void resume(List<byte[]> segments) {
        segments.forEach(digest::add);
        nextSegment = segments.size();
        written = segments.size();
        finishIfWritten();
    }

    void add(Chunk chunk) {
        waiting.put(chunk.index(), chunk);
        writeFull();
    }

    /** The file turned out to be shorter than planned; it has at least one chunk. */
    void shorten(ManifestPlan known) {
        plan = known;
        writeFull();
        finishIfWritten();
    }

    private void writeFull() {
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
        byte[] sha256 = ManifestDigest.ofSegment(new ManifestSegment(segment, chunks).encode());
        digest.add(sha256);
        var unused = coordinator
                .putSegment(version, segment, chunks)
                .whenComplete((nothing, failure) -> serial.execute(() -> {
                    if (failure != null) {
                        outcome.failed(Failures.of(failure));
                    } else {
                        written++;
                        outcome.written(segment, sha256);
                        finishIfWritten();
                    }
                }));
    }

    private void finishIfWritten() {
        if (written == plan.segmentCount()) {
            outcome.written(written);
        }
    }
}
