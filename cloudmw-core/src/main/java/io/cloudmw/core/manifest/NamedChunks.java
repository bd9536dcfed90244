package io.cloudmw.core.manifest;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The stored chunks of other versions that a manifest names, each at most once. Neighbours are kept as one run, so that memory
 * depends on the number of runs, which is limited. The same chunks in the same order always give the same answers.
 * Confined to one thread.
 */
public final class NamedChunks {
    /** The most runs of one manifest whose versions could name a chunk twice. */
    public static final int MAX_RUNS = 1 << 16;

    private final int maxRuns;
    private final Map<VersionId, TreeMap<Long, Long>> endsByFirst = new HashMap<>();
    private int runs;

    public NamedChunks() {
        this(MAX_RUNS);
    }

    NamedChunks(int maxRuns) {
        this.maxRuns = maxRuns;
    }

    /** Adds a chunk; returns false, and adds nothing, when it is there already or would be in one run too many. */
    public boolean add(ChunkId chunk) {
        TreeMap<Long, Long> ends = endsByFirst.getOrDefault(chunk.version(), new TreeMap<>());
        long index = chunk.index();
        Map.Entry<Long, Long> before = ends.floorEntry(index);
        if (before != null && before.getValue() > index) {
            return false;
        }
        boolean continues = before != null && before.getValue() == index;
        Long behind = ends.get(index + 1);
        if (!continues && behind == null && runs == maxRuns) {
            return false;
        }
        endsByFirst.putIfAbsent(chunk.version(), ends);
        long end = index + 1;
        if (behind != null) {
            ends.remove(index + 1);
            end = behind;
            runs--;
        }
        if (continues) {
            ends.put(before.getKey(), end);
        } else {
            ends.put(index, end);
            runs++;
        }
        return true;
    }
}
