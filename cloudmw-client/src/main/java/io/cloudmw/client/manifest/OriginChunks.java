package io.cloudmw.client.manifest;

import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.coordinator.SegmentPlan;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.PlannedChunk;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;

/**
 * The chunks of other versions, at their places in a new version that is cut as they are. Immutable; safe for any
 * thread. Holds one segment of another version at a time.
 */
public final class OriginChunks {
    /**
     * A version that a new one takes chunks from.
     *
     * @param firstIndex the place of its first chunk in the new version
     */
    public record Origin(FileVersion version, long firstIndex) {}

    private final CoordinatorClient coordinator;
    private final ManifestPlan plan;
    private final List<Origin> origins;

    /**
     * @param plan of the new version; the origins have its chunk size and its leaf size
     * @param origins the second and all others in order, without overlaps; where they overlap the first, the first
     *     provides nothing
     */
    public OriginChunks(CoordinatorClient coordinator, ManifestPlan plan, List<Origin> origins) {
        this.coordinator = coordinator;
        this.plan = plan;
        this.origins = List.copyOf(origins);
    }

    /** The number of segments of the new version. */
    public int segmentCount() {
        return plan.segmentCount();
    }

    /** A segment of an origin, and the part of the new version that it can provide. */
    record Piece(Origin origin, int segment, long firstIndex, long endIndex) {}

    /**
     * Returns the chunks of a segment of the new version, in no order. Reads those segments of the origins, one after
     * the other, that have wanted chunks.
     *
     * @param wanted whether the chunk at an index of the new version is one of the origins'
     */
    public CompletableFuture<List<Chunk>> of(int segment, LongPredicate wanted) {
        List<Piece> pieces = pieces(plan, origins, segment);
        pieces.removeIf(piece -> !isWanted(piece, wanted));
        CompletableFuture<List<Chunk>> all = new CompletableFuture<>();
        readNext(pieces.iterator(), wanted, new ArrayList<>(), all);
        return all;
    }

    /** Returns the pieces that provide a segment of the new version; no two have the same index. */
    static List<Piece> pieces(ManifestPlan plan, List<Origin> origins, int segment) {
        List<Piece> pieces = new ArrayList<>();
        long end = plan.firstChunk(segment) + plan.chunkCount(segment);
        for (int i = 0; i < origins.size(); i++) {
            Origin origin = origins.get(i);
            long at = plan.firstChunk(segment);
            for (Origin later : origins.subList(i + 1, origins.size())) {
                addPieces(plan, origin, at, Math.min(end, later.firstIndex()), pieces);
                at = Math.max(at, later.firstIndex() + cutter(plan, later).count());
            }
            addPieces(plan, origin, at, end, pieces);
        }
        return pieces;
    }

    private static ChunkCutter cutter(ManifestPlan plan, Origin origin) {
        return new ChunkCutter(origin.version().sizeBytes(), plan.cutter().chunkSizeBytes());
    }

    private static void addPieces(ManifestPlan plan, Origin origin, long from, long to, List<Piece> pieces) {
        ManifestPlan own = new ManifestPlan(cutter(plan, origin), plan.leafSizeBytes());
        long at = Math.max(from, origin.firstIndex());
        long end = Math.min(to, origin.firstIndex() + own.cutter().count());
        while (at < end) {
            int segment = own.segmentOf(at - origin.firstIndex());
            long next = origin.firstIndex() + own.firstChunk(segment) + own.chunkCount(segment);
            pieces.add(new Piece(origin, segment, at, Math.min(end, next)));
            at = next;
        }
    }

    private static boolean isWanted(Piece piece, LongPredicate wanted) {
        for (long index = piece.firstIndex(); index < piece.endIndex(); index++) {
            if (wanted.test(index)) {
                return true;
            }
        }
        return false;
    }

    private void readNext(
            Iterator<Piece> left, LongPredicate wanted, List<Chunk> found, CompletableFuture<List<Chunk>> all) {
        if (all.isDone()) {
            return;
        }
        if (!left.hasNext()) {
            all.complete(found);
            return;
        }
        Piece piece = left.next();
        CompletableFuture<SegmentPlan> call = coordinator.segment(piece.origin().version(), piece.segment(), false);
        var unusedCancelling = all.whenComplete((chunks, failure) -> call.cancel(true));
        var unused = call.whenComplete((segment, failure) -> {
            if (segment == null) {
                all.completeExceptionally(failure == null ? new IllegalStateException("no segment") : failure);
                return;
            }
            found.addAll(placed(segment, piece, wanted));
            readNext(left, wanted, found, all);
        });
    }

    private List<Chunk> placed(SegmentPlan segment, Piece piece, LongPredicate wanted) {
        long shift = piece.origin().firstIndex();
        List<Chunk> placed = new ArrayList<>();
        for (PlannedChunk planned : segment.chunks()) {
            Chunk chunk = planned.inManifest();
            long index = chunk.index() + shift;
            if (index >= piece.firstIndex() && index < piece.endIndex() && wanted.test(index)) {
                placed.add(
                        shift == 0
                                ? chunk
                                : chunk.placedAt(
                                        index, plan.cutter().range(index).offset()));
            }
        }
        return placed;
    }
}
