package io.cloudmw.client.rpc.link;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;

/** Takes the relays of one transfer; called on event loops, it must not block. */
public interface RelayAcceptor {
    /**
     * A racer of a helper offers a block it won, or has the first leaf of. No data flows before credit is granted on {@code stream}.
     *
     * @return told what happens on the stream
     * @throws CloudMwException to refuse at once
     */
    BulkStreamListener offered(HelperAddress helper, RacerId racer, BlockId block, StoreId store, BulkStream stream)
            throws CloudMwException;
}
