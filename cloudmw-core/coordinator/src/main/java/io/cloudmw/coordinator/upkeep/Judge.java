package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.VersionState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.collect.CollectFindings;
import io.cloudmw.core.upkeep.collect.CollectRound;
import io.cloudmw.core.upkeep.collect.CopyTotal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which copies that lie in a store may be deleted, which have to be marked first, and which stay. Safe for any thread; calls
 * block.
 */
final class Judge {
    private static final long AHEAD_MILLIS = 60_000;

    private final Catalog catalog;
    private final Naming naming;
    private final WorkQueue queue;
    private final UpkeepClock age;
    private final long graceMillis;

    /** @param graceMillis for so long, by {@code age}, a copy must have been marked before it is deleted */
    Judge(Catalog catalog, Naming naming, WorkQueue queue, UpkeepClock age, long graceMillis) {
        this.catalog = catalog;
        this.naming = naming;
        this.queue = queue;
        this.age = age;
        this.graceMillis = graceMillis;
    }

    /** What is to become of some copies. One thread's. */
    static final class Verdict {
        private CollectFindings counted = CollectFindings.NONE;
        private final List<ReplicaRecord> young = new ArrayList<>();
        private final List<ChunkId> old = new ArrayList<>();
        private final List<VersionId> retired = new ArrayList<>();

        /** The marks of those that nobody names, and that have none yet. */
        List<ReplicaRecord> young() {
            return young;
        }

        /** Those that may be deleted. */
        List<ChunkId> old() {
            return old;
        }

        /** Retired versions that wrote some of those that nobody names. */
        List<VersionId> retired() {
            return retired;
        }

        /** The same round with these counted. */
        CollectRound in(CollectRound round) {
            return round.found(counted);
        }

        private void unknown(CopyTotal copies) {
            counted = counted.plus(new CollectFindings(copies, CopyTotal.NONE, CopyTotal.NONE, copies.copies()));
        }

        private void known(CopyTotal copies) {
            counted = counted.plus(new CollectFindings(copies, CopyTotal.NONE, CopyTotal.NONE, 0));
        }

        /** Nothing names it, and it is not old enough. */
        private void waits(CopyTotal copy) {
            counted = counted.plus(new CollectFindings(CopyTotal.NONE, copy, copy, 0));
        }

        private void mayGo(ChunkId chunk, CopyTotal copy) {
            old.add(chunk);
            counted = counted.plus(new CollectFindings(CopyTotal.NONE, copy, CopyTotal.NONE, 0));
        }
    }

    /** Asks the catalog about each version that wrote some of these chunks. */
    Verdict judge(StoreId store, List<StoredChunk> chunks) throws CloudMwException {
        Verdict verdict = new Verdict();
        Map<VersionId, Map<ChunkId, CopyTotal>> byVersion = new LinkedHashMap<>();
        for (StoredChunk chunk : chunks) {
            byVersion
                    .computeIfAbsent(chunk.id().version(), ignored -> new LinkedHashMap<>())
                    .put(chunk.id(), new CopyTotal(1, chunk.bytes()));
        }
        for (Map.Entry<VersionId, Map<ChunkId, CopyTotal>> some : byVersion.entrySet()) {
            judge(store, some.getKey(), some.getValue(), verdict);
        }
        return verdict;
    }

    private void judge(StoreId store, VersionId version, Map<ChunkId, CopyTotal> copies, Verdict verdict)
            throws CloudMwException {
        Set<ChunkId> chunks = copies.keySet();
        CopyTotal all = copies.values().stream().reduce(CopyTotal.NONE, CopyTotal::plus);
        Optional<Naming.Found> found = naming.find(store, version, chunks);
        if (found.isEmpty()) {
            verdict.unknown(all);
            return;
        }
        verdict.known(all);
        Set<ChunkId> unnamed = found.get().unnamed();
        if (found.get().state() == VersionState.RETIRED && !unnamed.isEmpty()) {
            verdict.retired.add(version);
        }
        Map<ChunkId, ReplicaRecord> marks = marks(store, version, unnamed);
        for (ChunkId chunk : unnamed) {
            CopyTotal copy = copies.getOrDefault(chunk, CopyTotal.NONE);
            ReplicaRecord mark = marks.get(chunk);
            if (mark == null && found.get().named().contains(chunk)) {
                // Upkeep made it and could not say so, or is about to: it goes with the last version that names the
                // chunk.
                continue;
            }
            if (mark == null) {
                verdict.young.add(new ReplicaRecord(chunk, store, ReplicaState.DROPPED, age.millis()));
                verdict.waits(copy);
            } else if (isOld(mark) && !queue.contains(Task.copy(chunk, store))) {
                verdict.mayGo(chunk, copy);
            } else {
                verdict.waits(copy);
            }
        }
    }

    /** The marks of these copies, if all of them may still be deleted. */
    Optional<List<ReplicaRecord>> marksOfOld(StoreId store, List<ChunkId> chunks) throws CloudMwException {
        List<ReplicaRecord> all = new ArrayList<>();
        for (Map.Entry<VersionId, Set<ChunkId>> some : Naming.byVersion(chunks).entrySet()) {
            Set<ChunkId> ofOne = some.getValue();
            Map<ChunkId, ReplicaRecord> marks = marks(store, some.getKey(), ofOne);
            boolean old =
                    marks.size() == ofOne.size() && marks.values().stream().allMatch(this::isOld);
            boolean unnamed = old
                    && naming.find(store, some.getKey(), ofOne)
                            .filter(found -> found.unnamed().equals(ofOne))
                            .isPresent();
            if (!unnamed) {
                return Optional.empty();
            }
            all.addAll(marks.values());
        }
        return Optional.of(all);
    }

    private Map<ChunkId, ReplicaRecord> marks(StoreId store, VersionId version, Set<ChunkId> chunks)
            throws CloudMwException {
        Map<ChunkId, ReplicaRecord> marks = new HashMap<>();
        if (chunks.isEmpty()) {
            return marks;
        }
        long first = chunks.stream().mapToLong(ChunkId::index).min().orElseThrow();
        long last = chunks.stream().mapToLong(ChunkId::index).max().orElseThrow();
        for (ReplicaRecord record : catalog.records(version, first, last + 1)) {
            boolean dropped = record.state() == ReplicaState.DROPPED
                    && record.store().equals(store)
                    && chunks.contains(record.chunk());
            // What is far ahead was noted by another clock.
            if (dropped && record.sinceMillis() <= age.millis() + AHEAD_MILLIS) {
                marks.put(record.chunk(), record);
            }
        }
        return marks;
    }

    /** Returns whether a copy has been marked for long enough to be deleted. */
    boolean isOld(ReplicaRecord mark) {
        return age.millis() - mark.sinceMillis() >= graceMillis;
    }
}
