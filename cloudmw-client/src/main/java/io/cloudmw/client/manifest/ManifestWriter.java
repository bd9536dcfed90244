package io.cloudmw.client.manifest;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executor;

/**
 * A writer of one version's manifest. It collects stored chunks in any order, and sends each segment to the
 * coordinator once the segment is full and all earlier ones were sent. It asks for the base version's chunks of a
 * segment when only these are missing, one segment at a time. Confined to the transfer.
 */
public final class ManifestWriter {
    /** A listener, called on the transfer's executor. */
    public interface Outcome {
        /** The coordinator has this segment. */
        void written(int segment, byte[] sha256);

        /** The coordinator has all segments. */
        void written(int segments);

        void failed(CloudMwException cause);
    }

    private final CoordinatorClient coordinator;
    private final VersionId version;
    private final BaseChunks base;
    private ManifestPlan plan;
    private final ManifestDigest digest;
    private final Executor serial;
    private final Outcome outcome;
    private final TreeMap<Long, Chunk> waiting = new TreeMap<>();
    private int nextSegment;
    private int written;
    private boolean takingOver;

    /** @param digest is updated with every segment */
    public ManifestWriter(
            CoordinatorClient coordinator,
            VersionId version,
            ManifestPlan plan,
            BaseChunks base,
            ManifestDigest digest,
            Executor serial,
            Outcome outcome) {
        this.coordinator = coordinator;
        this.version = version;
        this.plan = plan;
        this.base = base;
        this.digest = digest;
        this.serial = serial;
        this.outcome = outcome;
    }

    /** Resumes, before anything is added: the coordinator has the first segments already, with these SHA-256. */
    public void resume(List<byte[]> segments) {
        segments.forEach(digest::add);
        nextSegment = segments.size();
        written = segments.size();
        finishIfWritten();
    }

    /** Writes the segments that need no new chunk. */
    public void start() {
        writeFull();
    }

    public void add(Chunk chunk) {
        waiting.put(chunk.index(), chunk);
        writeFull();
    }

    /** Shortens the manifest of a file that is shorter than planned; it has at least one chunk. */
    public void shorten(ManifestPlan known) {
        plan = known;
        writeFull();
        finishIfWritten();
    }

    private void writeFull() {
        while (!takingOver && nextSegment < plan.segmentCount() && isFull(nextSegment)) {
            int segment = nextSegment++;
            if (takenOver(segment) > 0) {
                takeOver(segment);
            } else {
                write(segment);
            }
        }
    }

    private int takenOver(int segment) {
        return base.count(plan.firstChunk(segment), plan.chunkCount(segment));
    }

    private void takeOver(int segment) {
        takingOver = true;
        var unused = base.of(segment)
                .whenComplete((chunks, failure) -> serial.execute(() -> {
                    if (chunks == null) {
                        outcome.failed(
                                Failures.of(failure == null ? new IllegalStateException("no segment") : failure));
                        return;
                    }
                    for (Chunk chunk : chunks) {
                        if (waiting.put(chunk.index(), chunk) != null) {
                            outcome.failed(Failures.violation("segment " + segment + " of the version that is changed: "
                                    + "chunk " + chunk.index() + " twice (expected: once)"));
                            return;
                        }
                    }
                    if (isFull(segment, 0)) {
                        write(segment);
                    } else {
                        outcome.failed(Failures.violation("segment " + segment + " of the version that is changed: "
                                + chunks.size() + " chunks (expected: " + takenOver(segment) + ")"));
                    }
                }));
    }

    private boolean isFull(int segment) {
        return isFull(segment, takenOver(segment));
    }

    private boolean isFull(int segment, int missing) {
        long first = plan.firstChunk(segment);
        int count = plan.chunkCount(segment);
        return waiting.subMap(first, first + count).size() == count - missing;
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
                        takingOver &= written < nextSegment;
                        writeFull();
                    }
                }));
    }

    private void finishIfWritten() {
        if (written == plan.segmentCount()) {
            outcome.written(written);
        }
    }
}
