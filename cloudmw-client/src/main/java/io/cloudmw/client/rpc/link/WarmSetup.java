package io.cloudmw.client.rpc.link;

import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.security.TransferToken;
import java.util.List;

/**
 * What a switch is told at the beginning of a warm-up.
 *
 * @param helpers those it asks before it reads a store, then the owners of disks
 * @param tree how many of them are members of the blocks' trees
 * @param stores those of the replicas
 */
public record WarmSetup(TransferToken token, List<HelperAddress> helpers, int tree, List<Store> stores) {
    public WarmSetup {
        helpers = List.copyOf(helpers);
        stores = List.copyOf(stores);
    }
}
