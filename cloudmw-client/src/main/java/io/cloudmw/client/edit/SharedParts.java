package io.cloudmw.client.edit;

import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.manifest.OriginChunks.Origin;
import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.client.write.ChangedChunks;
import io.cloudmw.client.write.PreparedEdit;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.manifest.NamedChunks;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The choice of the chunks that a change writes, and of those that it takes over from its base and its parts. A chunk of
 * a part is taken over where it is a whole chunk of the new version as well, unless the new version has that chunk of
 * another version already. Confined to the transfer.
 */
final class SharedParts {
    /** The most runs of repeated chunks that are written one by one; behind them all chunks are written. */
    static final int MAX_REPEATS = 1024;

    private final EditParameters begun;
    private final ChunkCutter after;
    private final ChangedChunks notOfBase;
    private final ChangedChunks changed;
    private final List<Origin> parts;
    private final boolean mayRepeat;
    private final NamedChunks named = new NamedChunks();
    private final List<ChangedChunks.Run> repeated = new ArrayList<>();

    private SharedParts(
            EditParameters begun,
            ChunkCutter after,
            ChangedChunks notOfBase,
            List<ChangedChunks.Run> shared,
            List<Origin> parts,
            boolean mayRepeat) {
        this.begun = begun;
        this.after = after;
        this.notOfBase = notOfBase;
        this.changed = notOfBase.without(shared);
        this.parts = parts;
        this.mayRepeat = mayRepeat;
    }

    /** @param after the cutter of the new version */
    static SharedParts of(EditParameters begun, FileChange change, ChunkCutter after) {
        List<Origin> parts = new ArrayList<>();
        List<ChangedChunks.Run> shared = new ArrayList<>();
        for (FileChange.Part part : change.parts()) {
            long chunks = alike(begun, part, after);
            if (chunks > 0) {
                long first = part.positionBytes() / after.chunkSizeBytes();
                parts.add(new Origin(part.version(), first));
                shared.add(new ChangedChunks.Run(first, first + chunks));
            }
        }
        ChangedChunks notOfBase = ChangedChunks.of(begun, change.written(), after);
        boolean baseShares = notOfBase.bytes(after) < after.fileSizeBytes();
        boolean mayRepeat = parts.size() + (baseShares ? 1 : 0) > 1
                || shared.stream().anyMatch(run -> run.end() - run.first() > NamedChunks.MAX_RUNS);
        return new SharedParts(begun, after, notOfBase, shared, parts, mayRepeat && !parts.isEmpty());
    }

    /** The number of chunks of a part, from its first, that are chunks of the new version as they are. */
    private static long alike(EditParameters begun, FileChange.Part part, ChunkCutter after) {
        FileVersion version = part.version();
        long chunkSize = after.chunkSizeBytes();
        if (version.chunkSizeBytes() != chunkSize
                || version.leafSizeBytes() != begun.put().leafSizeBytes()
                || part.positionBytes() % chunkSize != 0) {
            return 0;
        }
        boolean endsTogether = part.range().end() == after.fileSizeBytes();
        return endsTogether ? new ChunkCutter(version.sizeBytes(), chunkSize).count() : version.sizeBytes() / chunkSize;
    }

    /** The edit before the {@linkplain #add repeated chunks} are known. */
    PreparedEdit first() {
        return new PreparedEdit(begun, changed, parts);
    }

    /**
     * Returns whether the new version might have a chunk of another version twice, or too many runs: several versions
     * provide chunks, or one provides very many.
     */
    boolean mayRepeat() {
        return mayRepeat;
    }

    /** Adds the chunks that a segment takes over; segments are added in order. Returns false when no more are needed. */
    boolean add(List<Chunk> takenOver) {
        for (Chunk chunk : takenOver.stream()
                .sorted(Comparator.comparingLong(Chunk::index))
                .toList()) {
            if (!named.add(chunk.id()) && !writeInstead(chunk.index())) {
                return false;
            }
        }
        return true;
    }

    /** Returns false when this chunk and all behind it are written. */
    private boolean writeInstead(long index) {
        int last = repeated.size() - 1;
        if (last >= 0 && repeated.get(last).end() == index) {
            repeated.set(last, new ChangedChunks.Run(repeated.get(last).first(), index + 1));
            return true;
        }
        boolean most = repeated.size() == MAX_REPEATS;
        repeated.add(new ChangedChunks.Run(index, most ? after.count() : index + 1));
        return !most;
    }

    /** The edit that takes chunks over from the base alone. */
    PreparedEdit withoutParts() {
        return new PreparedEdit(begun, notOfBase);
    }

    /** The edit that has no chunk twice. */
    PreparedEdit prepared() {
        return new PreparedEdit(begun, changed.with(repeated), parts);
    }
}
