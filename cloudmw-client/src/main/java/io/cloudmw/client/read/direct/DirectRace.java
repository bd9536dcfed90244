package io.cloudmw.client.read.direct;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.read.racer.RacerEvents;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Race;
import io.cloudmw.core.race.RaceActions;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;
import io.cloudmw.core.thread.SerialExecutor;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * The client's in-process racers: one {@link Race} in which every rank is local, over the replicas that this process
 * can read directly. Confined to the transfer; the context's replica threads read.
 */
public final class DirectRace implements LocalAttempt.Listener {
    private final ClientContext context;
    private final SerialExecutor serial;
    private final DirectStores stores;
    private final RacerEvents events;
    private final DirectStream.Reports reports = new DirectStream.Reports(this, this::offer);
    private final Race race;
    private final Map<BlockId, ManifestReader.Item> items = new HashMap<>();
    private final Map<AttemptId, LocalAttempt> attempts = new HashMap<>();
    /** Attempts that were delivered before they finished. */
    private final List<AttemptId> early = new ArrayList<>();

    private boolean closed;

    public DirectRace(
            ClientContext context,
            SerialExecutor serial,
            List<RacerId> ranks,
            DirectStores stores,
            RacerEvents events) {
        this.context = context;
        this.serial = serial;
        this.stores = stores;
        this.events = events;
        race = new Race(RacePolicy.rounds(), Set.copyOf(ranks), new Actions());
    }

    public void issue(Block block, ManifestReader.Item item) {
        items.put(block.id(), item);
        happened(now -> race.issued(block, now));
    }

    public void withdraw(BlockId block) {
        happened(now -> race.withdrawn(block, now));
        forget(block);
    }

    public void delivered(BlockId block) {
        happened(now -> race.delivered(block, now));
        forget(block);
    }

    private void forget(BlockId block) {
        items.remove(block);
        early.removeIf(attempt -> attempt.block().equals(block));
        attempts.values().removeIf(attempt -> {
            boolean gone = attempt.id().block().equals(block);
            if (gone) {
                attempt.close();
            }
            return gone;
        });
    }

    /**
     * Passes an event to the race. All racers are local, no claim crosses a wire, so nothing waits for time to pass.
     */
    private void happened(LongConsumer event) {
        if (!closed) {
            event.accept(context.ticker().nanos());
        }
    }

    /** The actions that the race orders. */
    private final class Actions implements RaceActions {
        @Override
        public void start(AttemptId attempt, Block block, int replica) {
            DirectRace.this.start(attempt, block, replica);
        }

        @Override
        public void cancel(AttemptId attempt) {
            LocalAttempt cancelled = attempts.get(attempt);
            if (cancelled != null) {
                cancelled.cancel();
            }
        }

        @Override
        public void shorten(AttemptId attempt, long length) {
            // An in-process attempt is relayed when it is whole; the relay leaves out other racers' bytes.
        }

        @Override
        public void discard(AttemptId attempt) {
            LocalAttempt discarded = attempts.remove(attempt);
            if (discarded != null) {
                discarded.close();
            }
        }

        @Override
        public void deliver(AttemptId attempt) {
            DirectRace.this.deliver(attempt);
        }

        @Override
        public void tell(RacerId rival, RivalNotice notice, BlockId block, RacerId self) {
            throw new IllegalStateException("a rival in another process: " + rival);
        }

        @Override
        public void reportLost(BlockId block, RacerId self, RacerId winner) {
            serial.execute(() -> events.lost(self, block, winner));
        }

        @Override
        public void reportForfeited(BlockId block, RacerId self, ErrorCode code) {
            serial.execute(() -> events.forfeited(self, block, code));
        }
    }

    private void start(AttemptId id, Block block, int replica) {
        ManifestReader.Item item = items.get(block.id());
        if (item == null) {
            throw new IllegalStateException("block " + block.id().value() + " was not issued");
        }
        StoreId store = item.chunk().chunk().replicas().get(replica);
        LocalAttempt attempt = block.isCutThrough() && stores.isBucket(store)
                ? new DirectStream(
                        id, block, item, store, stores, context.threads().replicas(), reports)
                : new DirectAttempt(id, block, item, store, stores, this);
        attempts.put(id, attempt);
        context.threads().replicas().execute(attempt);
    }

    /** Relays an attempt once it is whole. A stream offers its block by itself. */
    private void deliver(AttemptId id) {
        LocalAttempt local = attempts.get(id);
        if (local instanceof DirectStream) {
            return;
        }
        if (!(local instanceof DirectAttempt attempt) || !attempt.isFinished()) {
            early.add(id);
            return;
        }
        DirectRelaySource source = new DirectRelaySource(
                attempt, UnpooledByteBufAllocator.DEFAULT, context.threads().replicas());
        source.bind(events.offer(id.racer(), id.block(), attempt.store(), source));
    }

    /** Offers the block of a stream; on an event loop. */
    private RelayReceiver offer(DirectStream stream) {
        AttemptId id = stream.id();
        return events.offer(id.racer(), id.block(), stream.store(), stream);
    }

    private void tell(LocalAttempt attempt, AttemptState state, Optional<ErrorCode> error) {
        AttemptId id = attempt.id();
        Attempt news = new Attempt(
                attempt.block().chunkIndex(),
                id.block().value(),
                Attempt.LOCAL,
                attempt.store(),
                id.number(),
                state,
                attempt.bytes(),
                error);
        serial.execute(() -> events.attempted(id.racer(), id.block(), news));
    }

    @Override
    public void began(LocalAttempt attempt) {
        tell(attempt, AttemptState.STARTED, Optional.empty());
    }

    @Override
    public void progressed(LocalAttempt attempt) {
        tell(attempt, AttemptState.PROGRESSED, Optional.empty());
    }

    @Override
    public void finished(LocalAttempt attempt) {
        tell(attempt, AttemptState.FINISHED, Optional.empty());
        serial.execute(() -> {
            happened(now -> race.finished(attempt.id(), now));
            if (early.remove(attempt.id())) {
                deliver(attempt.id());
            }
        });
    }

    @Override
    public void failed(LocalAttempt attempt, CloudMwException cause) {
        if (cause.code() == ErrorCode.CANCELLED) {
            tell(attempt, AttemptState.CANCELLED, Optional.empty());
        } else {
            tell(attempt, AttemptState.FAILED, Optional.of(cause.code()));
        }
        serial.execute(() -> {
            attempts.remove(attempt.id());
            if (cause.code() == ErrorCode.CANCELLED) {
                happened(now -> race.cancelled(attempt.id(), now));
                return;
            }
            if (cause.code().isOfReplica()) {
                events.faulted(attempt.chunk().id(), attempt.store(), cause.code());
            }
            events.localFailed(cause);
            happened(now -> race.failed(attempt.id(), cause.code(), now));
        });
    }

    public void close() {
        closed = true;
        attempts.values().forEach(LocalAttempt::close);
        attempts.clear();
        context.threads().replicas().execute(stores::close);
    }
}
