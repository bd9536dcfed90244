package io.cloudmw.client.rpc.link;

import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.TransferToken;
import java.util.List;

/**
 * The parameters with which a warm-up begins at a switch.
 *
 * @param helpers the switches it asks before it reads a store, then the owners of disks
 * @param tree the number of members of the blocks' trees among them
 * @param stores the replicas' stores
 */
public record WarmSetup(TransferToken token, List<HelperAddress> helpers, int tree, List<Store> stores) {
    public WarmSetup {
        helpers = List.copyOf(helpers);
        stores = List.copyOf(stores);
    }
}
