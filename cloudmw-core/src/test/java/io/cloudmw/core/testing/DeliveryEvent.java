package io.cloudmw.core.testing;

import io.cloudmw.core.delivery.ChunkPlan;
import io.cloudmw.core.delivery.Delivery;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.Set;

/** An event of a {@link Delivery} as a value, so that a test can delay, drop and inspect it. */
public sealed interface DeliveryEvent {
    /** Calls the delivery's method for this event. */
    void tell(Delivery delivery, long nowNanos);

    record Planned(
            long chunkIndex,
            ByteRange range,
            long chunkLength,
            int leafSizeBytes,
            List<StoreId> stores,
            Set<StoreId> bad,
            List<Entrant> entrants)
            implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.planned(
                    new ChunkPlan(chunkIndex, range, chunkLength, leafSizeBytes, stores, bad, entrants), nowNanos);
        }
    }

    record PlanEnded() implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.planEnded(nowNanos);
        }
    }

    record Offered(long relay, BlockId block, RacerId racer) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.offered(relay, block, racer, nowNanos);
        }
    }

    record LeafDelivered(long relay) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.leafDelivered(relay, nowNanos);
        }
    }

    record CreditWithheld(long relay) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.creditWithheld(relay, nowNanos);
        }
    }

    record CreditGranted(long relay) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.creditGranted(relay, nowNanos);
        }
    }

    record RelayFailed(long relay, ErrorCode code) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.relayFailed(relay, code, nowNanos);
        }
    }

    record LeafCorrupt(long relay) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.leafCorrupt(relay, nowNanos);
        }
    }

    record Attempted(BlockId block, RacerId racer, int number, AttemptStage stage, long bytes)
            implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.attempted(block, racer, stage, bytes, nowNanos);
        }
    }

    record Waits(BlockId block, RacerId racer) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.waits(block, racer, nowNanos);
        }
    }

    record Postponed(BlockId block, boolean postponed) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.postponed(block, postponed, nowNanos);
        }
    }

    record Lost(BlockId block, RacerId racer, RacerId winner) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.lost(block, racer, winner, nowNanos);
        }
    }

    record Forfeited(BlockId block, RacerId racer, ErrorCode code) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.forfeited(block, racer, code, nowNanos);
        }
    }

    record RacerGone(RacerId racer) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.racerGone(racer, nowNanos);
        }
    }

    record StoresAway(Set<StoreId> stores) implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.storesAway(stores, nowNanos);
        }
    }

    record LocalRacersReady(List<RacerId> racers, Set<StoreId> unreadable) implements DeliveryEvent {
        public LocalRacersReady(List<RacerId> racers) {
            this(racers, Set.of());
        }

        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.localRacersReady(racers, unreadable, nowNanos);
        }
    }

    record Resumed() implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.resumed(nowNanos);
        }
    }

    record TimePassed() implements DeliveryEvent {
        @Override
        public void tell(Delivery delivery, long nowNanos) {
            delivery.timePassed(nowNanos);
        }
    }
}
