package io.cloudmw.client.manifest;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.coordinator.SegmentPlan;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A reader that gives a version's chunks in order and fetches the manifest a segment at a time, before its queue
 * runs empty. The manifest must describe exactly the file that its version promises. A reader of all segments also
 * compares the manifest's SHA-256 before it gives the last one. Confined to the transfer.
 */
public final class ManifestReader {
    /** A chunk, with the manifest segment that describes it. */
    public record Item(PlannedChunk chunk, int segment) {}

    private static final int LOW_WATER = 8;

    private final CoordinatorClient coordinator;
    private final ReadPlan plan;
    private final FileVersion version;
    private final ByteRange wanted;
    private final Executor owner;
    private final Runnable arrived;
    private final Consumer<Throwable> failed;
    private final @Nullable ManifestDigest digest;
    private final Queue<Item> queue = new ArrayDeque<>();
    private @Nullable CompletableFuture<SegmentPlan> asked;
    private int nextSegment;
    private long nextOffset;
    private boolean closed;

    /**
     * @param owner the transfer's executor
     * @param arrived called on it when {@link #poll} may return more
     * @param failed called on it once, when a segment cannot be fetched
     */
    public ManifestReader(
            CoordinatorClient coordinator,
            ReadPlan plan,
            ByteRange wanted,
            Executor owner,
            Runnable arrived,
            Consumer<Throwable> failed) {
        this.coordinator = coordinator;
        this.plan = plan;
        this.version = plan.version();
        this.wanted = wanted;
        this.owner = owner;
        this.arrived = arrived;
        this.failed = failed;
        this.digest = wanted.length() == version.sizeBytes() ? new ManifestDigest() : null;
    }

    /** The next chunk that holds wanted bytes; null when none is here now. */
    @Nullable
    public Item poll() {
        Item item = queue.poll();
        if (queue.size() < LOW_WATER) {
            ask();
        }
        return item;
    }

    /** The following chunks that are here, in order. */
    public List<PlannedChunk> ahead(int most) {
        return queue.stream().limit(most).map(Item::chunk).toList();
    }

    /** Returns whether {@link #poll} will never return another chunk. */
    public boolean isEnded() {
        return queue.isEmpty() && asked == null && isComplete();
    }

    private boolean isComplete() {
        return wanted.isEmpty() || nextOffset >= wanted.end();
    }

    private void ask() {
        if (asked != null || closed || isComplete()) {
            return;
        }
        if (nextSegment >= version.segmentCount()) {
            fail(violation("its " + nextSegment + " segments describe " + nextOffset + " bytes (expected: "
                    + version.sizeBytes() + ")"));
            return;
        }
        CompletableFuture<SegmentPlan> call = coordinator.segment(plan, nextSegment++);
        asked = call;
        var unused = call.whenComplete((segment, failure) -> owner.execute(() -> answered(segment, failure)));
    }

    private void answered(@Nullable SegmentPlan segment, @Nullable Throwable failure) {
        asked = null;
        if (closed) {
            return;
        }
        if (segment == null) {
            fail(failure == null ? new IllegalStateException("no segment and no failure") : failure);
            return;
        }
        try {
            check(segment);
            for (PlannedChunk chunk : segment.chunks()) {
                add(chunk, segment.index());
            }
            if (nextOffset >= version.sizeBytes() && nextSegment < version.segmentCount()) {
                throw violation(nextSegment + " of its segments describe all " + nextOffset + " bytes (expected: all "
                        + version.segmentCount() + " of them)");
            }
        } catch (CloudMwException e) {
            fail(e);
            return;
        }
        if (segment.index() == 0) {
            skipSegments();
        }
        arrived.run();
    }

    private void fail(Throwable cause) {
        close();
        failed.accept(cause);
    }

    private CloudMwException violation(String message) {
        return Failures.violation(version.file() + ": manifest of version " + version.id() + ": " + message);
    }

    private void check(SegmentPlan segment) throws CloudMwException {
        ManifestSegment checked;
        try {
            checked = new ManifestSegment(
                    segment.index(),
                    segment.chunks().stream().map(PlannedChunk::inManifest).toList());
        } catch (IllegalArgumentException e) {
            throw violation("segment " + segment.index() + ": " + e.getMessage());
        }
        if (digest == null) {
            return;
        }
        digest.add(ManifestDigest.ofSegment(checked.encode()));
        if (segment.index() == version.segmentCount() - 1) {
            String found = digest.finish();
            if (!found.equals(version.manifestSha256())) {
                throw violation("SHA-256 " + found + " (expected: " + version.manifestSha256() + ")");
            }
        }
    }

    /** Skips unwanted segments: every segment but the last describes as many bytes as the first. */
    private void skipSegments() {
        long perSegment = nextOffset;
        long skip = perSegment == 0 ? 0 : Math.min(wanted.offset() / perSegment, version.segmentCount() - 1L);
        if (skip > 1) {
            nextSegment = Math.toIntExact(skip);
            nextOffset = skip * perSegment;
        }
    }

    private void add(PlannedChunk chunk, int segment) throws CloudMwException {
        ByteRange range = chunk.chunk().range();
        if (range.offset() != nextOffset || range.isEmpty() || range.end() > version.sizeBytes()) {
            throw violation("chunk " + chunk.chunk().id() + " at " + range + " (expected: at " + nextOffset
                    + ", within " + version.sizeBytes() + " bytes)");
        }
        nextOffset = range.end();
        if (range.offset() < wanted.end() && range.end() > wanted.offset()) {
            queue.add(new Item(chunk, segment));
        }
    }

    /** Cancels the fetch of segments. */
    public void close() {
        closed = true;
        queue.clear();
        if (asked != null) {
            asked.cancel(true);
        }
    }
}
