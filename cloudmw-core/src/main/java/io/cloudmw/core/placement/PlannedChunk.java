package io.cloudmw.core.placement;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.security.TransferToken;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One chunk of a read plan.
 *
 * @param chunk with its copies where they are now
 * @param bad replicas to be read only when nothing else is left: quarantined, known to be missing, or not yet written
 * @param entrants who races for it, at most one entrant per replica; empty when no helper can reach a replica
 * @param direct presigned URLs by store, for a client's own race; empty unless asked for
 * @param placed where its manifest says its copies are: upkeep may have moved them since
 * @param token lets its bearer read the chunk, where another version wrote it; empty: the plan's does
 */
public record PlannedChunk(
        Chunk chunk,
        Set<StoreId> bad,
        List<Entrant> entrants,
        Map<StoreId, URI> direct,
        List<StoreId> placed,
        Optional<TransferToken> token) {
    /** A chunk whose copies are where its manifest says, and that the plan's token is for. */
    public PlannedChunk(Chunk chunk, Set<StoreId> bad, List<Entrant> entrants, Map<StoreId, URI> direct) {
        this(chunk, bad, entrants, direct, chunk.replicas(), Optional.empty());
    }

    public PlannedChunk {
        placed = List.copyOf(placed);
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

    /** The same chunk, with presigned URLs by store. */
    public PlannedChunk with(Map<StoreId, URI> urls) {
        return new PlannedChunk(chunk, bad, entrants, urls, placed, token);
    }

    /** The chunk as its manifest has it: what the manifest's digest is of. */
    public Chunk inManifest() {
        return placed.equals(chunk.replicas()) ? chunk : chunk.at(placed);
    }

    /** The presigned URLs are secrets: they are left out. */
    @Override
    public String toString() {
        return "PlannedChunk[" + chunk.id() + ", bad=" + bad + ", entrants=" + entrants + "]";
    }
}
