package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.Set;

/** The events of {@link DeliveryEvent} as calls: what Java 17 has instead of an exhaustive switch. */
interface DeliveryInput {
    void planned(DeliveryEvent.Planned chunk);

    void planEnded();

    void offered(long relay, BlockId block, RacerId racer);

    void leafDelivered(long relay);

    void creditWithheld(long relay);

    void creditGranted(long relay);

    void relayFailed(long relay, ErrorCode code);

    void leafCorrupt(long relay);

    void attempted(DeliveryEvent.Attempted attempt);

    void waits(BlockId block, RacerId racer);

    void postponed(BlockId block, boolean postponed);

    void lost(BlockId block, RacerId racer, RacerId winner);

    void forfeited(BlockId block, RacerId racer, ErrorCode code);

    void racerGone(RacerId racer);

    void storesAway(Set<StoreId> stores);

    void localRacersReady(List<RacerId> racers);

    void resumed();

    void timePassed();
}
