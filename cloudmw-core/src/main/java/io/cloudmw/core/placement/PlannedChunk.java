package io.cloudmw.core.placement;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.security.TransferToken;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A chunk of a read plan.
 *
 * @param chunk with its current replicas; a slice of a pack that was compacted is one of the new pack
 * @param bad replicas to read only when no other is left: quarantined, known to be missing, or not yet written
 * @param entrants the racers for it, at most one per replica; empty when no helper can reach a replica
 * @param direct presigned URLs by store, for a client's own race; empty unless requested
 * @param named its id in the manifest: upkeep may have compacted its pack since
 * @param placed its stores in the manifest: upkeep may have moved the replicas since
 * @param token lets its bearer read a chunk that another version wrote; empty: the plan's token does
 */
public record PlannedChunk(
        Chunk chunk,
        Set<StoreId> bad,
        List<Entrant> entrants,
        Map<StoreId, URI> direct,
        ChunkId named,
        List<StoreId> placed,
        Optional<TransferToken> token) {
    /** A chunk whose replicas are where its manifest says, for the plan's token. */
    public PlannedChunk(Chunk chunk, Set<StoreId> bad, List<Entrant> entrants, Map<StoreId, URI> direct) {
        this(chunk, bad, entrants, direct, chunk.id(), chunk.replicas(), Optional.empty());
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
        return new PlannedChunk(chunk, bad, entrants, urls, named, placed, token);
    }

    /** The manifest's chunk, which the manifest's digest covers. */
    public Chunk inManifest() {
        return named.equals(chunk.id()) && placed.equals(chunk.replicas()) ? chunk : chunk.storedAs(named, placed);
    }

    /** Leaves out the presigned URLs, which are secrets. */
    @Override
    public String toString() {
        return "PlannedChunk[" + chunk.id() + ", bad=" + bad + ", entrants=" + entrants + "]";
    }
}
