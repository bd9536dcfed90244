package io.cloudmw.core.placement;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreCandidate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The policy that chooses k different stores for a chunk's replicas, spread over failure domains, by weighted
 * rendezvous hashing. Each store draws a score from the chunk's name, and the best scores win; stores in unused
 * domains come first. The same chunk and stores always give the same choice, so a repeated request places a chunk
 * where it was. Stores that cannot take a chunk now are chosen last; their replicas are owed.
 */
public final class PlacementPolicy {
    /** The most stores that a message names. */
    static final int MAX_NAMED = 8;

    private PlacementPolicy() {}

    /**
     * Checks that a volume can use these stores.
     *
     * @throws CloudMwException {@code NOT_ENOUGH_STORES} when fewer than {@code replicas} different ones can be used;
     *     it gives the reasons of a few of the others
     */
    public static void requireEnough(List<StoreCandidate> candidates, int replicas) throws CloudMwException {
        List<StoreCandidate> usable =
                candidates.stream().filter(StoreCandidate::usable).toList();
        List<StoreCandidate> unusable =
                candidates.stream().filter(c -> !c.usable()).toList();
        requireEnough(usable, replicas, others(unusable));
    }

    private static void requireEnough(List<StoreCandidate> candidates, int replicas, String others)
            throws CloudMwException {
        long different = candidates.stream().map(c -> c.store().id()).distinct().count();
        if (different < replicas) {
            throw new CloudMwException(
                    ErrorCode.NOT_ENOUGH_STORES,
                    replicas + " replicas need " + replicas + " stores, and " + different + " can be used (add stores:"
                            + " \"cloudmw store add\" for a bucket, a helper's --disk for a disk"
                            + (different == 0 ? "" : "; or ask for only " + different + " with --replicas") + ")"
                            + others);
        }
    }

    /** Names a few unusable stores with their reasons. */
    private static String others(List<StoreCandidate> unusable) {
        if (unusable.isEmpty()) {
            return "";
        }
        return unusable.stream()
                .limit(MAX_NAMED)
                .map(c -> c.store().id() + " (" + c.obstacle() + ")")
                .collect(Collectors.joining(
                        ", ",
                        "; not ",
                        unusable.size() > MAX_NAMED ? ", and " + (unusable.size() - MAX_NAMED) + " more" : ""));
    }

    /**
     * Checks that chunks can be written to these stores now.
     *
     * @param what names the file and its volume in the message
     * @throws CloudMwException {@code QUORUM_NOT_MET} when fewer than {@code writeQuorum} of them can take a chunk; it
     *     gives the reasons of a few of the others
     */
    public static void requireQuorum(String what, List<StoreCandidate> candidates, int writeQuorum)
            throws CloudMwException {
        List<StoreCandidate> unusable =
                candidates.stream().filter(c -> !c.usable()).toList();
        int usable = candidates.size() - unusable.size();
        if (usable >= writeQuorum) {
            return;
        }
        throw new CloudMwException(
                ErrorCode.QUORUM_NOT_MET,
                what + ": " + usable + " of " + candidates.size() + " stores can be written to now (expected: >= "
                        + writeQuorum + ", the write quorum)" + others(unusable));
    }

    /**
     * Chooses stores for one chunk.
     *
     * @param candidates the volume's stores, in the volume's order
     * @throws CloudMwException {@code NOT_ENOUGH_STORES} when there are fewer candidates than replicas
     */
    public static PlacedReplicas place(ChunkId chunk, List<StoreCandidate> candidates, int replicas)
            throws CloudMwException {
        requireEnough(candidates, replicas, "");
        Set<StoreCandidate> chosen = choose(chunk, candidates, replicas, Set.of());
        List<StoreId> stores = new ArrayList<>(replicas);
        List<StoreId> owed = new ArrayList<>();
        for (StoreCandidate candidate : candidates) {
            if (chosen.contains(candidate)) {
                stores.add(candidate.store().id());
                if (!candidate.usable()) {
                    owed.add(candidate.store().id());
                }
            }
        }
        return new PlacedReplicas(stores, owed);
    }

    /**
     * Chooses stores for more replicas of a chunk, among those that can take it now.
     *
     * @param candidates without those that have a replica
     * @param domains the failure domains of the present replicas
     * @return at most {@code count}, the best one first
     */
    public static List<Store> more(
            ChunkId chunk, List<StoreCandidate> candidates, int count, Collection<String> domains) {
        List<StoreCandidate> usable =
                candidates.stream().filter(StoreCandidate::usable).toList();
        return choose(chunk, usable, Math.min(count, usable.size()), domains).stream()
                .map(StoreCandidate::store)
                .toList();
    }

    private static Set<StoreCandidate> choose(
            ChunkId chunk, List<StoreCandidate> candidates, int replicas, Collection<String> domains) {
        Map<StoreCandidate, Double> scores = new HashMap<>();
        candidates.forEach(candidate -> scores.put(candidate, score(chunk, candidate)));
        Map<String, Integer> usedDomains = new HashMap<>();
        domains.forEach(domain -> usedDomains.merge(domain, 1, Integer::sum));
        Comparator<StoreCandidate> best = Comparator.comparing((StoreCandidate c) -> !c.usable())
                .thenComparing(c -> usedDomains.getOrDefault(c.store().failureDomain(), 0))
                .thenComparing(c -> -scores.getOrDefault(c, 0.0))
                .thenComparing(c -> c.store().id());
        Set<StoreCandidate> chosen = new LinkedHashSet<>();
        while (chosen.size() < replicas) {
            StoreCandidate next = candidates.stream()
                    .filter(c -> !chosen.contains(c))
                    .min(best)
                    .orElseThrow();
            chosen.add(next);
            usedDomains.merge(next.store().failureDomain(), 1, Integer::sum);
        }
        return chosen;
    }

    /** Weighted rendezvous hashing: -weight / ln(u) with u uniform in (0, 1). */
    private static double score(ChunkId chunk, StoreCandidate candidate) {
        long hash = RendezvousHash.hash(chunk.toString(), candidate.store().id().value());
        double uniform = ((hash >>> 11) + 0.5) / (1L << 53);
        return -candidate.weight() / Math.log(uniform);
    }
}
