package io.cloudmw.core.placement;

import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Entrant;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One chunk of a read plan.
 *
 * @param bad replicas to be read only when nothing else is left: quarantined, known to be missing, or not yet written
 * @param entrants who races for it, at most one entrant per replica; empty when no helper can reach a replica
 * @param direct presigned URLs by store, for a client's own race; empty unless asked for
 */
public record PlannedChunk(Chunk chunk, Set<StoreId> bad, List<Entrant> entrants, Map<StoreId, URI> direct) {
    public PlannedChunk {
        bad = Set.copyOf(bad);
        entrants = List.copyOf(entrants);
        direct = Map.copyOf(direct);
        int replicas = chunk.replicas().size();
        if (entrants.size() > replicas) {
            throw new IllegalArgumentException("entrants: " + entrants.size() + " (expected: <= " + replicas + ")");
        }
        for (Entrant entrant : entrants) {
            if (entrant.replica() < 0 || entrant.replica() >= replicas) {
                throw new IllegalArgumentException(
                        "replica: " + entrant.replica() + " (expected: 0.." + (replicas - 1) + ")");
            }
        }
        if (entrants.stream().map(Entrant::racer).distinct().count() != entrants.size()) {
            throw new IllegalArgumentException("entrants: a racer twice in " + entrants);
        }
    }

    /** The presigned URLs are secrets: they are left out. */
    @Override
    public String toString() {
        return "PlannedChunk[" + chunk.id() + ", bad=" + bad + ", entrants=" + entrants + "]";
    }
}
