package io.cloudmw.client.handle;

import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.core.wire.IssuedBlock;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What a switch is asked for one leaf. */
final class SharedRequests {
    private SharedRequests() {}

    /** The request to this switch of the plan, which asks those above it for what it lacks, and in the end a store. */
    static byte[] encode(LeafPlace place, HelperAddress asked) {
        ReadPlan plan = place.map().plan();
        PlannedChunk planned = place.planned();
        Chunk chunk = place.chunk();
        List<Store> stores = plan.stores().stream()
                .map(StoreStatus::store)
                .filter(store -> chunk.replicas().contains(store.id()))
                .toList();
        List<HelperAddress> helpers = Stream.concat(
                        plan.helpers().stream().limit(plan.switches()),
                        plan.helpers().stream().filter(helper -> ownsOneOf(stores, helper)))
                .distinct()
                .map(HelperAddress::withoutVolumes)
                .toList();
        return new BulkRequest.Shared(
                        planned.token().orElse(plan.token()),
                        block(place, replica(planned, plan.helpers().indexOf(asked))),
                        stores,
                        helpers,
                        plan.switches(),
                        plan.switches() - 1,
                        Priority.INTERACTIVE,
                        true,
                        0)
                .encode();
    }

    private static IssuedBlock block(LeafPlace place, int replica) {
        Chunk chunk = place.chunk();
        return new IssuedBlock(
                new Block(
                        new BlockId(0),
                        chunk.index(),
                        place.inChunk(),
                        chunk.replicas().size(),
                        List.of(new Entrant(new RacerId(0), replica)),
                        BlockRule.SOLE),
                chunk.id(),
                chunk.range().length(),
                chunk.leafSizeBytes(),
                new int[] {place.crc32c()},
                chunk.replicas(),
                false);
    }

    /** The one the plan means for this helper, or the first that is not known to be bad. */
    private static int replica(PlannedChunk planned, int rank) {
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

    private static boolean ownsOneOf(List<Store> stores, HelperAddress helper) {
        return stores.stream().anyMatch(store -> store.owner().equals(Optional.of(helper.id())));
    }
}
