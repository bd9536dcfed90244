package io.cloudmw.client.handle;

import io.cloudmw.client.rpc.link.BlockRequests;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A leaf, with the plan by which it is read.
 *
 * @param map the locator, by one plan
 * @param leaf counts the chunk's leaves from 0
 */
record PlannedLeaf(LeafLocator map, PlannedChunk planned, int leaf) {
    /** The leaf that holds a byte of the file. */
    static PlannedLeaf at(LeafLocator map, PlannedChunk planned, long position) {
        Chunk chunk = planned.chunk();
        return new PlannedLeaf(
                map, planned, Math.toIntExact((position - chunk.range().offset()) / chunk.leafSizeBytes()));
    }

    Chunk chunk() {
        return planned.chunk();
    }

    LeafKey key() {
        return new LeafKey(chunk().id(), leaf);
    }

    int length() {
        return Math.toIntExact(inChunk().length());
    }

    /** The leaf's range in the chunk. */
    ByteRange inChunk() {
        long from = (long) leaf * chunk().leafSizeBytes();
        return new ByteRange(
                from, Math.min(chunk().leafSizeBytes(), chunk().range().length() - from));
    }

    /** The leaf's range in the file. */
    ByteRange inFile() {
        return new ByteRange(chunk().range().offset() + inChunk().offset(), length());
    }

    int crc32c() {
        return chunk().leaves().crc32c()[leaf];
    }

    /** The request for the leaf to this helper of the plan. */
    byte[] request(HelperAddress asked) {
        ReadPlan plan = map.plan();
        IssuedBlock block = issued(replica(plan.helpers().indexOf(asked)));
        Urgency urgency = Urgency.of(Priority.INTERACTIVE);
        return (plan.switches() > 0
                        ? BlockRequests.toSwitch(plan, block, urgency, false)
                        : BlockRequests.toHelper(plan, asked, block, urgency))
                .encode();
    }

    private IssuedBlock issued(int replica) {
        Chunk chunk = chunk();
        return new IssuedBlock(
                new Block(
                        new BlockId(0),
                        chunk.index(),
                        inChunk(),
                        chunk.replicas().size(),
                        List.of(new Entrant(new RacerId(0), replica)),
                        BlockRule.SOLE),
                chunk.id(),
                chunk.range().length(),
                chunk.leafSizeBytes(),
                new int[] {crc32c()},
                chunk.replicas(),
                false,
                planned.token());
    }

    /** The replica that the plan names for this helper, or the first replica that is not known to be bad. */
    private int replica(int rank) {
        Optional<Integer> meant = planned.entrants().stream()
                .filter(entrant -> entrant.racer().rank() == rank)
                .map(Entrant::replica)
                .findFirst();
        List<StoreId> replicas = planned.chunk().replicas();
        return meant.orElseGet(() -> IntStream.range(0, replicas.size())
                .filter(replica -> !planned.bad().contains(replicas.get(replica)))
                .findFirst()
                .orElse(0));
    }

    /** For messages. */
    @Override
    public String toString() {
        return "chunk=" + chunk().id() + " leaf=" + leaf;
    }
}
