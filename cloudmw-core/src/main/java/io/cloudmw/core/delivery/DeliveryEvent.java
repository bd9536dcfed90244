package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.Set;

/** What can happen at the destination. */
public sealed interface DeliveryEvent {
    /** Hands the event to {@link Delivery}'s inside; nobody else calls this. */
    void tell(DeliveryInput input);

    /**
     * The next chunk of the file to fetch, each once; those of a stream are planned in the order of their index.
     *
     * @param range what is wanted of it, leaf-aligned except at the chunk's end
     * @param chunkLength bytes of the whole chunk
     * @param stores where its replicas are
     * @param bad those of them whose replica is known to be bad, lost or not yet written: read when nothing else is left
     * @param entrants which helper (its first lane) is meant for which replica, in the order of the replicas
     */
    record Planned(
            long chunkIndex,
            ByteRange range,
            long chunkLength,
            int leafSizeBytes,
            List<StoreId> stores,
            Set<StoreId> bad,
            List<Entrant> entrants)
            implements DeliveryEvent {
        public Planned {
            stores = List.copyOf(stores);
            bad = Set.copyOf(bad);
            entrants = List.copyOf(entrants);
        }

        int replicas() {
            return stores.size();
        }

        @Override
        public void tell(DeliveryInput input) {
            input.planned(this);
        }
    }

    /** No chunk follows the ones planned. */
    record PlanEnded() implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.planEnded();
        }
    }

    /** A racer offers to relay a block it won. {@code relay} is the caller's own number for the stream. */
    record Offered(long relay, BlockId block, RacerId racer) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.offered(relay, block, racer);
        }
    }

    /** The next leaf of a relay was verified and handed on. */
    record LeafDelivered(long relay) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.leafDelivered(relay);
        }
    }

    /**
     * The destination has no room for more of this relay and grants no credit until {@link CreditGranted}: whoever
     * consumes the bytes is slow, so the relay cannot stall meanwhile.
     */
    record CreditWithheld(long relay) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.creditWithheld(relay);
        }
    }

    /** There is room for this relay again. */
    record CreditGranted(long relay) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.creditGranted(relay);
        }
    }

    /** A relay, accepted or not, broke, or ended before its last leaf. */
    record RelayFailed(long relay, ErrorCode code) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.relayFailed(relay, code);
        }
    }

    /** A leaf of a relay did not match its SHA-256: nothing of that leaf was handed on. */
    record LeafCorrupt(long relay) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.leafCorrupt(relay);
        }
    }

    /**
     * A racer reports how far an attempt of its has come.
     *
     * @param number counts the racer's attempts at the block from 0
     * @param bytes it has fetched so far
     */
    record Attempted(BlockId block, RacerId racer, int number, AttemptStage stage, long bytes)
            implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.attempted(this);
        }
    }

    /**
     * A racer's attempt waits for want of room at its helper: to be started, for a thread or the spool, or to be relayed,
     * for a stream to the destination. Said again and again: it is the helper's sign of life.
     */
    record Waits(BlockId block, RacerId racer) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.waits(block, racer);
        }
    }

    /**
     * The destination has not yet issued a block to its helper as it was told to, or does so now. Until then nobody is late
     * with it.
     */
    record Postponed(BlockId block, boolean postponed) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.postponed(block, postponed);
        }
    }

    /** A racer reports that {@code winner} won the block. */
    record Lost(BlockId block, RacerId racer, RacerId winner) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.lost(block, racer, winner);
        }
    }

    /** A racer has run out of replicas for the block. */
    record Forfeited(BlockId block, RacerId racer, ErrorCode code) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.forfeited(block, racer, code);
        }
    }

    /** A racer can no longer be reached. */
    record RacerGone(RacerId racer) implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.racerGone(racer);
        }
    }

    /**
     * These can be read through a process only that is gone, or says nothing any more. What is read of them is wanted of
     * other stores where there are any, and from now on they are asked last.
     */
    record StoresAway(Set<StoreId> stores) implements DeliveryEvent {
        public StoresAway {
            stores = Set.copyOf(stores);
        }

        @Override
        public void tell(DeliveryInput input) {
            input.storesAway(stores);
        }
    }

    /**
     * The in-process racers asked for by {@link DeliveryCommand.RaceLocally} are ready; none when the client can
     * reach no replica by itself. Their ranks must differ from every helper's.
     */
    record LocalRacersReady(List<RacerId> racers) implements DeliveryEvent {
        public LocalRacersReady {
            racers = List.copyOf(racers);
        }

        @Override
        public void tell(DeliveryInput input) {
            input.localRacersReady(racers);
        }
    }

    /**
     * The destination's process did not run for a while (stopped, suspended, collecting garbage), and what others sent
     * meanwhile may still wait to be read: nobody was silent.
     */
    record Resumed() implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.resumed();
        }
    }

    /** Nothing but the passing of time. */
    record TimePassed() implements DeliveryEvent {
        @Override
        public void tell(DeliveryInput input) {
            input.timePassed();
        }
    }
}
