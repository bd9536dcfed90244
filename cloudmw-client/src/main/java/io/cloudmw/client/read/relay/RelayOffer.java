package io.cloudmw.client.read.relay;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;

/**
 * An offer to relay a block.
 *
 * @param number of the relay in its transfer
 * @param racer that offers the block
 * @param store whose replica the racer read
 */
public record RelayOffer(long number, BlockId block, RacerId racer, StoreId store) {}
