package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.status.collect.CollectFindings;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The decision about copies in a store: whether a copy may be deleted, must be marked first, or stays. Safe for any
 * thread; calls block.
 */
final class GarbageClassifier {
    private static final long AHEAD_MILLIS = 60_000;

    private final UpkeepContext context;
    private final ReferencedCopies references;
    private final TaskQueue queue;

    GarbageClassifier(UpkeepContext context, TaskQueue queue) {
        this.context = context;
        this.references = new ReferencedCopies(context.catalog());
        this.queue = queue;
    }

    /** The verdict about some copies. Confined to one thread. */
    static final class Verdict {
        private CollectFindings counted = CollectFindings.NONE;
        private final List<ReplicaRecord> newMarks = new ArrayList<>();
        private final List<ChunkId> deletable = new ArrayList<>();
        private final List<VersionId> retired = new ArrayList<>();

        /** Returns new marks for unreferenced copies that have none yet. */
        List<ReplicaRecord> newMarks() {
            return newMarks;
        }

        /** Returns the copies that may be deleted. */
        List<ChunkId> deletable() {
            return deletable;
        }

        /** Returns the retired versions that wrote or share some of the unreferenced copies. */
        List<VersionId> retired() {
            return retired;
        }

        /** Returns the round with these copies counted. */
        CollectRound in(CollectRound round) {
            return round.found(counted);
        }

        private void unknown(CopyTotal copies) {
            counted = counted.plus(new CollectFindings(copies, CopyTotal.NONE, CopyTotal.NONE, copies.copies()));
        }

        private void known(CopyTotal copies) {
            counted = counted.plus(new CollectFindings(copies, CopyTotal.NONE, CopyTotal.NONE, 0));
        }

        /** Counts an unreferenced copy that is not old enough. */
        private void waits(CopyTotal copy) {
            counted = counted.plus(new CollectFindings(CopyTotal.NONE, copy, copy, 0));
        }

        private void mayGo(ChunkId chunk, CopyTotal copy) {
            deletable.add(chunk);
            counted = counted.plus(new CollectFindings(CopyTotal.NONE, copy, CopyTotal.NONE, 0));
        }
    }

    /** Classifies copies; asks the catalog about each version that wrote some of the chunks. */
    Verdict classify(StoreId store, List<StoredChunk> chunks) throws CloudMwException {
        Verdict verdict = new Verdict();
        Map<VersionId, Map<ChunkId, CopyTotal>> byVersion = new LinkedHashMap<>();
        for (StoredChunk chunk : chunks) {
            byVersion
                    .computeIfAbsent(chunk.id().version(), ignored -> new LinkedHashMap<>())
                    .put(chunk.id(), new CopyTotal(1, chunk.bytes()));
        }
        for (Map.Entry<VersionId, Map<ChunkId, CopyTotal>> some : byVersion.entrySet()) {
            classify(store, some.getKey(), some.getValue(), verdict);
        }
        return verdict;
    }

    private void classify(StoreId store, VersionId version, Map<ChunkId, CopyTotal> copies, Verdict verdict)
            throws CloudMwException {
        Set<ChunkId> chunks = copies.keySet();
        CopyTotal all = copies.values().stream().reduce(CopyTotal.NONE, CopyTotal::plus);
        Optional<ReferencedCopies.Found> found = references.find(store, version, chunks);
        if (found.isEmpty()) {
            verdict.unknown(all);
            return;
        }
        verdict.known(all);
        Set<ChunkId> unnamed = found.get().unnamed();
        verdict.retired.addAll(found.get().retired());
        Map<ChunkId, ReplicaRecord> marks = marks(store, version, unnamed);
        for (ChunkId chunk : unnamed) {
            CopyTotal copy = copies.getOrDefault(chunk, CopyTotal.NONE);
            ReplicaRecord mark = marks.get(chunk);
            if (mark == null && found.get().named().contains(chunk)) {
                // Upkeep made this copy and could not record it, or is about to: it is deleted with the last version
                // that references the chunk.
                continue;
            }
            if (mark == null) {
                verdict.newMarks.add(new ReplicaRecord(
                        chunk, store, ReplicaState.DROPPED, context.age().millis()));
                verdict.waits(copy);
            } else if (isOld(mark) && !queue.contains(Task.copy(chunk, store))) {
                verdict.mayGo(chunk, copy);
            } else {
                verdict.waits(copy);
            }
        }
    }

    /** Returns the marks of these copies, if all of them may still be deleted. */
    Optional<List<ReplicaRecord>> marksOfOld(StoreId store, List<ChunkId> chunks) throws CloudMwException {
        List<ReplicaRecord> all = new ArrayList<>();
        for (Map.Entry<VersionId, Set<ChunkId>> some :
                ReferencedCopies.byVersion(chunks).entrySet()) {
            Set<ChunkId> ofOne = some.getValue();
            Map<ChunkId, ReplicaRecord> marks = marks(store, some.getKey(), ofOne);
            boolean old =
                    marks.size() == ofOne.size() && marks.values().stream().allMatch(this::isOld);
            boolean unnamed = old
                    && references
                            .find(store, some.getKey(), ofOne)
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
        for (ReplicaRecord record : context.catalog().records(version, first, last + 1)) {
            boolean dropped = record.state() == ReplicaState.DROPPED
                    && record.store().equals(store)
                    && chunks.contains(record.chunk());
            // A time far ahead was stamped by another clock.
            if (dropped && record.sinceMillis() <= context.age().millis() + AHEAD_MILLIS) {
                marks.put(record.chunk(), record);
            }
        }
        return marks;
    }

    /** Returns whether a copy has been marked for long enough to be deleted. */
    boolean isOld(ReplicaRecord mark) {
        return context.age().millis() - mark.sinceMillis() >= context.graceMillis();
    }

    /** Returns the records of deleted copies, as they are after the deletion. */
    List<ReplicaRecord> recordsOfDeleted(Task.Delete task) throws CloudMwException {
        List<ReplicaRecord> records = new ArrayList<>();
        for (Map.Entry<VersionId, Set<ChunkId>> some :
                ReferencedCopies.byVersion(task.chunks()).entrySet()) {
            // A manifest may reference this copy, whichever version wrote the chunk: its absence must stay recorded as
            // long as the manifest is kept.
            Set<ChunkId> named = references.named(some.getKey(), some.getValue());
            for (ChunkId chunk : some.getValue()) {
                ReplicaState state = named.contains(chunk) ? ReplicaState.GONE : ReplicaState.GOOD;
                records.add(new ReplicaRecord(
                        chunk, task.store().id(), state, context.age().millis()));
            }
        }
        return records;
    }
}
