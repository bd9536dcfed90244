package io.cloudmw.client.rpc.link;

import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.status.StoreStatus;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Requests for blocks on the bulk plane. */
public final class BlockRequests {
    private BlockRequests() {}

    /**
     * A request for a block, or a part of one, to any switch of the plan. The switch requests what it lacks from the
     * switches above it, and in the end from the store of the block's entrant.
     *
     * @param kept whether the block is wanted only if the switch has all of it cached
     */
    public static BulkRequest.Shared toSwitch(ReadPlan plan, IssuedBlock block, Urgency urgency, boolean kept) {
        List<HelperAddress> switches = plan.helpers().subList(0, plan.switches());
        return of(plan, switches, block, urgency, kept);
    }

    /** A request for a block to a helper that reads the store of the block's entrant itself. */
    public static BulkRequest.Shared toHelper(ReadPlan plan, HelperAddress asked, IssuedBlock block, Urgency urgency) {
        return of(plan, List.of(asked), block, urgency, false);
    }

    /** @param tree the helpers that ask each other, the asked one among them */
    private static BulkRequest.Shared of(
            ReadPlan plan, List<HelperAddress> tree, IssuedBlock block, Urgency urgency, boolean kept) {
        List<Store> stores = plan.stores().stream()
                .map(StoreStatus::store)
                .filter(store -> block.replicas().contains(store.id()))
                .toList();
        List<HelperAddress> helpers = Stream.concat(
                        tree.stream(), plan.helpers().stream().filter(helper -> ownsOneOf(stores, helper)))
                .distinct()
                .map(HelperAddress::withoutVolumes)
                .toList();
        return new BulkRequest.Shared(
                block.token().orElse(plan.token()),
                block,
                stores,
                helpers,
                tree.size(),
                tree.size() - 1,
                urgency,
                true,
                kept,
                0);
    }

    private static boolean ownsOneOf(List<Store> stores, HelperAddress helper) {
        return stores.stream().anyMatch(store -> store.owner().equals(Optional.of(helper.id())));
    }
}
