package io.cloudmw.coordinator.upkeep.walk;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A walk over the chunks of current versions that have a copy which needs work, as the catalog records. The number of
 * steps depends on the number of such segments, not on the size of the catalog.
 */
public final class PendingReplicaWalk implements ChunkWalk {
    private static final int PAGE = 500;

    private final Catalog catalog;
    private final Deque<Map.Entry<VersionId, Set<ChunkId>>> page = new ArrayDeque<>();
    private final Deque<Stretch> found = new ArrayDeque<>();
    private String token = "";
    private boolean last;

    public PendingReplicaWalk(Catalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Optional<Stretch> next() throws CloudMwException {
        while (found.isEmpty()) {
            Map.Entry<VersionId, Set<ChunkId>> entry = page.peek();
            if (entry != null) {
                find(entry.getKey(), entry.getValue());
                page.remove();
            } else if (last) {
                return Optional.empty();
            } else {
                turn();
            }
        }
        return Optional.of(found.remove());
    }

    private void turn() throws CloudMwException {
        Page<ReplicaRecord> next = catalog.pending(token, PAGE);
        Map<VersionId, Set<ChunkId>> chunks = new LinkedHashMap<>();
        for (ReplicaRecord record : next.items()) {
            chunks.computeIfAbsent(record.chunk().version(), ignored -> new LinkedHashSet<>())
                    .add(record.chunk());
        }
        page.addAll(chunks.entrySet());
        token = next.nextToken();
        last = token.isEmpty();
    }

    /** Adds the chunks of one writing version that current versions reference, which may be other versions. */
    private void find(VersionId owner, Set<ChunkId> wanted) throws CloudMwException {
        boolean written = isCurrent(owner);
        Map<ChunkId, ChunkReference> places = new LinkedHashMap<>();
        for (ChunkId chunk : wanted) {
            Optional<ChunkReference> namer =
                    written ? Optional.of(ChunkReference.ofWriter(owner, true)) : catalog.namer(chunk);
            if (namer.isPresent() && namer.get().current()) {
                places.put(chunk, namer.get());
            }
        }
        found.addAll(ManifestLookup.find(catalog, places));
    }

    private boolean isCurrent(VersionId id) throws CloudMwException {
        return catalog.state(id).equals(Optional.of(VersionState.CURRENT));
    }
}
