package io.cloudmw.helper.rpc;

import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * The answer to a heartbeat, with the coordinator's requests.
 *
 * @param tellAll whether the helper reports everything again, because another coordinator than before answered
 * @param doubted buckets that the helper probes again, because others cannot use them
 */
record HeartbeatAnswer(boolean tellAll, List<StoreId> doubted) {
    HeartbeatAnswer {
        doubted = List.copyOf(doubted);
    }
}
