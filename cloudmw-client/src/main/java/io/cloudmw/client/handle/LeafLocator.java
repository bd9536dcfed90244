package io.cloudmw.client.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.coordinator.SegmentPlan;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.SwitchTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A locator of a version's leaves by one plan: where the bytes are and which helpers are asked. Only the segments read
 * last of a long manifest are kept. Safe for any thread.
 */
final class LeafLocator {
    /** A segment describes at most 4096 leaves in 36 bytes each. */
    private static final int KEPT_SEGMENTS = 8;

    private final CoordinatorClient coordinator;
    private final ReadPlan plan;
    private final SwitchTable table;
    /** Whether helpers race for each block of the file. */
    private final boolean isRaced;
    /** The size of every segment but the last, which may be shorter. */
    private final long segmentBytes;

    @GuardedBy("this")
    private final Map<Integer, CompletableFuture<List<PlannedChunk>>> segments = new LinkedHashMap<>(16, 0.75f, true);

    private LeafLocator(CoordinatorClient coordinator, ReadPlan plan, List<PlannedChunk> first) {
        this.coordinator = coordinator;
        this.plan = plan;
        this.table = plan.switchTable();
        this.isRaced = ModePolicy.of(plan.mode(), false)
                .forRead(plan.version().leafSizeBytes())
                .needsRivals();
        this.segmentBytes = first.stream()
                .mapToLong(chunk -> chunk.chunk().range().length())
                .sum();
        segments.put(0, CompletableFuture.completedFuture(first));
    }

    /** Makes a locator from the plan's first segment. */
    static CompletableFuture<LeafLocator> of(CoordinatorClient coordinator, ReadPlan plan) {
        FileVersion version = plan.version();
        if (version.sizeBytes() == 0) {
            return CompletableFuture.completedFuture(new LeafLocator(coordinator, plan, List.of()));
        }
        return coordinator.segment(plan, 0).thenApply(segment -> {
            long end = segment.chunks().stream()
                    .mapToLong(chunk -> chunk.chunk().range().end())
                    .max()
                    .orElse(0);
            return new LeafLocator(
                    coordinator,
                    plan,
                    checked(version, segment, 0, version.segmentCount() == 1 ? version.sizeBytes() : end));
        });
    }

    ReadPlan plan() {
        return plan;
    }

    /** The chunk that holds the byte at {@code position} of the file. */
    CompletableFuture<PlannedChunk> chunk(long position) {
        int last = plan.version().segmentCount() - 1;
        int index = (int) Math.min(position / segmentBytes, last);
        return segment(index).thenApply(chunks -> holding(chunks, position));
    }

    private static PlannedChunk holding(List<PlannedChunk> chunks, long position) {
        int low = 0;
        int high = chunks.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (chunks.get(middle).chunk().range().offset() <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return chunks.get(low);
    }

    private synchronized CompletableFuture<List<PlannedChunk>> segment(int index) {
        CompletableFuture<List<PlannedChunk>> known = segments.get(index);
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        FileVersion version = plan.version();
        long end = index == version.segmentCount() - 1 ? version.sizeBytes() : (index + 1) * segmentBytes;
        CompletableFuture<List<PlannedChunk>> asked = coordinator
                .segment(plan, index)
                .thenApply(segment -> checked(version, segment, index * segmentBytes, end));
        segments.put(index, asked);
        if (segments.size() > KEPT_SEGMENTS) {
            segments.remove(segments.keySet().iterator().next());
        }
        return asked;
    }

    /** The segment's chunks; fails unless they follow each other from {@code start} to {@code end}. */
    private static List<PlannedChunk> checked(FileVersion version, SegmentPlan segment, long start, long end) {
        try {
            var unused = new ManifestSegment(
                    segment.index(),
                    segment.chunks().stream().map(PlannedChunk::inManifest).toList());
        } catch (IllegalArgumentException e) {
            throw violation(version, segment, String.valueOf(e.getMessage()));
        }
        long next = start;
        for (PlannedChunk chunk : segment.chunks()) {
            ByteRange range = chunk.chunk().range();
            if (range.offset() != next || range.isEmpty()) {
                throw violation(version, segment, "chunk at " + range + " (expected: at " + next + ")");
            }
            next = range.end();
        }
        if (next != end || start == end) {
            throw violation(version, segment, "ends at " + next + " (expected: " + end + ")");
        }
        return segment.chunks();
    }

    private static CompletionException violation(FileVersion version, SegmentPlan segment, String what) {
        return new CompletionException(new CloudMwException(
                ErrorCode.PROTOCOL_VIOLATION,
                version.file() + ": manifest of version " + version.id() + ": segment " + segment.index() + ": "
                        + what));
    }

    /**
     * The helpers that are asked for a leaf, in order: the switches of a volume that has some, otherwise the helpers
     * that the plan names for the chunk. None where helpers race for each block.
     */
    Stream<HelperAddress> helpers(PlannedLeaf place) {
        if (plan.switches() == 0) {
            return isRaced
                    ? Stream.empty()
                    : place.planned().entrants().stream()
                            .map(entrant -> entrant.racer().rank())
                            .filter(rank -> rank < plan.helpers().size())
                            .map(plan.helpers()::get)
                            .filter(HelperAddress::blockRequests);
        }
        Chunk chunk = place.chunk();
        long blockBytes = ModePolicy.SWITCHED_BLOCK_BYTES;
        long blocks = (chunk.range().length() + blockBytes - 1) / blockBytes;
        int[] owners = table.order(chunk.id(), blocks, place.inChunk().offset() / blockBytes);
        return IntStream.concat(plan.near().stream(), IntStream.of(owners))
                .distinct()
                .mapToObj(plan.helpers()::get);
    }
}
