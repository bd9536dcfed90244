package io.cloudmw.client.rpc.link;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;

/** An acceptor of the relays of one transfer. Called on event loops; must not block. */
public interface RelayAcceptor {
    /**
     * Accepts a relay: a helper's racer offers a block that it won, or whose first leaf it has. No data flows before
     * credit is granted on {@code stream}.
     *
     * @return a listener to the stream
     * @throws CloudMwException to refuse at once
     */
    BulkStreamListener offered(HelperAddress helper, RacerId racer, BlockId block, StoreId store, BulkStream stream)
            throws CloudMwException;
}
