package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.VersionState;
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
 * The chunks of current versions of which the catalog has recorded that something is to be done about a copy: as many steps
 * as there are segments with such chunks, however large the catalog is.
 */
final class PendingWalk implements Walk {
    private static final int PAGE = 500;

    private final Catalog catalog;
    private final Deque<Map.Entry<VersionId, Set<ChunkId>>> page = new ArrayDeque<>();
    private final Deque<Stretch> found = new ArrayDeque<>();
    private String token = "";
    private boolean last;

    PendingWalk(Catalog catalog) {
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

    /** Of the chunks one version wrote those that current versions name, which may be others. */
    private void find(VersionId owner, Set<ChunkId> wanted) throws CloudMwException {
        if (isCurrent(owner)) {
            found.addAll(Manifests.find(catalog, owner, wanted));
            return;
        }
        Map<VersionId, Set<ChunkId>> byNamer = new LinkedHashMap<>();
        for (ChunkId chunk : wanted) {
            Optional<VersionId> namer = catalog.namer(chunk);
            if (namer.isPresent() && isCurrent(namer.get())) {
                byNamer.computeIfAbsent(namer.get(), ignored -> new LinkedHashSet<>())
                        .add(chunk);
            }
        }
        for (Map.Entry<VersionId, Set<ChunkId>> entry : byNamer.entrySet()) {
            found.addAll(Manifests.find(catalog, entry.getKey(), entry.getValue()));
        }
    }

    private boolean isCurrent(VersionId id) throws CloudMwException {
        return catalog.state(id).equals(Optional.of(VersionState.CURRENT));
    }
}
