package io.cloudmw.helper.rpc;

import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * The wishes of a coordinator that took a heartbeat.
 *
 * @param tellAll whether the helper tells everything anew: another coordinator than before answered
 * @param doubted buckets that the helper asks again, because others cannot use them
 */
record HeartbeatAnswer(boolean tellAll, List<StoreId> doubted) {
    HeartbeatAnswer {
        doubted = List.copyOf(doubted);
    }
}
