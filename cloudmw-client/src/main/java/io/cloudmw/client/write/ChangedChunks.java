package io.cloudmw.client.write;

import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.model.ByteRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The chunks that a change of parts of a file writes: chunks it touches, and chunks whose place or length changes. All
 * other chunks are those of the base, or of other versions that it continues. Immutable.
 *
 * @param runs of neighbouring chunks, in order, with a gap between two of them
 */
public record ChangedChunks(List<Run> runs) {
    /** No chunk. */
    private static final ChangedChunks NONE = new ChangedChunks(List.of());

    /**
     * Neighbouring chunks.
     *
     * @param first index of the first
     * @param end index after the last
     */
    public record Run(long first, long end) {}

    public ChangedChunks {
        runs = List.copyOf(runs);
    }

    /** All chunks of a file with so many. */
    public static ChangedChunks all(long count) {
        return count == 0 ? NONE : new ChangedChunks(List.of(new Run(0, count)));
    }

    /**
     * The chunks that an edit writes.
     *
     * @param after the cutter of the new version
     */
    public static ChangedChunks of(EditParameters edit, ChunkCutter after) {
        return of(edit, List.of(edit.written()), after);
    }

    /**
     * The chunks that a change of several ranges writes.
     *
     * @param written the ranges that the change writes, within the new version
     * @param after the cutter of the new version
     */
    public static ChangedChunks of(EditParameters edit, List<ByteRange> written, ChunkCutter after) {
        if (edit.base().isEmpty() || edit.baseChunkSizeBytes() != after.chunkSizeBytes()) {
            return all(after.count());
        }
        ChunkCutter before = new ChunkCutter(edit.base().get().sizeBytes(), after.chunkSizeBytes());
        long alike = Math.min(before.count(), after.count());
        if (alike > 0 && !before.range(alike - 1).equals(after.range(alike - 1))) {
            alike--;
        }
        List<Run> touched = new ArrayList<>();
        for (ByteRange range : written) {
            if (!range.isEmpty()) {
                touched.add(new Run(after.indexOf(range.offset()), after.indexOf(range.end() - 1) + 1));
            }
        }
        if (alike < after.count()) {
            touched.add(new Run(alike, after.count()));
        }
        return new ChangedChunks(merged(touched));
    }

    /** These chunks and others. */
    public ChangedChunks with(List<Run> others) {
        List<Run> all = new ArrayList<>(runs);
        all.addAll(others);
        return new ChangedChunks(merged(all));
    }

    /** These chunks without others. */
    public ChangedChunks without(List<Run> others) {
        List<Run> left = new ArrayList<>(runs);
        for (Run other : others) {
            List<Run> less = new ArrayList<>();
            for (Run run : left) {
                addIfAny(less, run.first(), Math.min(run.end(), other.first()));
                addIfAny(less, Math.max(run.first(), other.end()), run.end());
            }
            left = less;
        }
        return new ChangedChunks(left);
    }

    private static void addIfAny(List<Run> runs, long first, long end) {
        if (first < end) {
            runs.add(new Run(first, end));
        }
    }

    private static List<Run> merged(List<Run> touched) {
        List<Run> merged = new ArrayList<>();
        touched.sort(Comparator.comparingLong(Run::first));
        for (Run run : touched) {
            Run last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last == null || run.first() > last.end()) {
                merged.add(run);
            } else if (run.end() > last.end()) {
                merged.set(merged.size() - 1, new Run(last.first(), run.end()));
            }
        }
        return merged;
    }

    /** The number of these chunks between two indexes. */
    long among(long from, long to) {
        return runs.stream()
                .mapToLong(run -> Math.max(0, Math.min(run.end(), to) - Math.max(run.first(), from)))
                .sum();
    }

    /** The size of these chunks. */
    public long bytes(ChunkCutter after) {
        return runs.stream()
                .mapToLong(run -> after.range(run.end() - 1).end()
                        - after.range(run.first()).offset())
                .sum();
    }

    public boolean contains(long index) {
        return among(index, index + 1) > 0;
    }

    /** Bytes of the file before the written range, in a chunk that changes. */
    public ByteRange before(ByteRange written, ChunkCutter after) {
        long from = runs.isEmpty()
                ? written.offset()
                : after.range(runs.get(0).first()).offset();
        return new ByteRange(from, written.offset() - from);
    }

    /** Bytes of the file after the written range, in a chunk that changes. */
    public ByteRange behind(ByteRange written, ChunkCutter after) {
        long to = runs.isEmpty()
                ? written.end()
                : after.range(runs.get(runs.size() - 1).end() - 1).end();
        return new ByteRange(written.end(), to - written.end());
    }
}
