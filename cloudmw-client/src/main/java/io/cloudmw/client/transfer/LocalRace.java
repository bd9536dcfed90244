package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Race;
import io.cloudmw.core.race.RaceCommand;
import io.cloudmw.core.race.RaceEvent;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.SerialExecutor;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The client's own racers: carries out one {@link Race} in which every rank is local, over the replicas this process
 * can reach by itself. Confined to the transfer; reading is done by the engine's reading threads.
 */
final class LocalRace implements LocalAttempt.Listener {
    private final Engine engine;
    private final SerialExecutor serial;
    private final LocalStores stores;
    private final RacerEvents events;
    private final Race race;
    private final Map<BlockId, SegmentFeed.Item> items = new HashMap<>();
    private final Map<AttemptId, LocalAttempt> attempts = new HashMap<>();
    /** Of attempts not finished yet. */
    private final List<RaceCommand.Deliver> early = new ArrayList<>();

    private boolean closed;

    LocalRace(Engine engine, SerialExecutor serial, List<RacerId> ranks, LocalStores stores, RacerEvents events) {
        this.engine = engine;
        this.serial = serial;
        this.stores = stores;
        this.events = events;
        race = new Race(RacePolicy.rounds(), Set.copyOf(ranks));
    }

    void issue(Block block, SegmentFeed.Item item) {
        items.put(block.id(), item);
        happened(new RaceEvent.Issued(block));
    }

    void withdraw(BlockId block) {
        happened(new RaceEvent.Withdrawn(block));
        forget(block);
    }

    void delivered(BlockId block) {
        happened(new RaceEvent.Delivered(block));
        forget(block);
    }

    private void forget(BlockId block) {
        items.remove(block);
        early.removeIf(deliver -> deliver.block().equals(block));
        attempts.values().removeIf(attempt -> {
            boolean gone = attempt.id().block().equals(block);
            if (gone) {
                attempt.close();
            }
            return gone;
        });
    }

    /** With every rank local no claim crosses a wire, so nothing here waits for time to pass. */
    private void happened(RaceEvent event) {
        if (closed) {
            return;
        }
        for (RaceCommand command : race.on(event, engine.ticker().nanos())) {
            execute(command);
        }
    }

    private void execute(RaceCommand command) {
        if (command instanceof RaceCommand.Start start) {
            start(start);
        } else if (command instanceof RaceCommand.Cancel cancel) {
            LocalAttempt attempt = attempts.get(cancel.attempt());
            if (attempt != null) {
                attempt.cancel();
            }
        } else if (command instanceof RaceCommand.Discard discard) {
            LocalAttempt attempt = attempts.remove(discard.attempt());
            if (attempt != null) {
                attempt.close();
            }
        } else if (command instanceof RaceCommand.Deliver deliver) {
            deliver(deliver);
        } else if (command instanceof RaceCommand.ReportLost lost) {
            serial.execute(() -> events.lost(lost.self(), lost.block(), lost.winner()));
        } else if (command instanceof RaceCommand.ReportForfeited forfeited) {
            serial.execute(() -> events.forfeited(forfeited.self(), forfeited.block(), forfeited.code()));
        }
    }

    private void start(RaceCommand.Start start) {
        SegmentFeed.Item item = items.get(start.block().id());
        if (item == null) {
            throw new IllegalStateException("block " + start.block().id().value() + " was not issued");
        }
        StoreId store = item.chunk().chunk().replicas().get(start.replica());
        LocalAttempt attempt = new LocalAttempt(start.attempt(), start.block(), item, store, stores, this);
        attempts.put(start.attempt(), attempt);
        engine.threads().replicas().execute(attempt);
    }

    /** A block that is cut through is relayed in-process when it is whole: its bytes have no way to go. */
    private void deliver(RaceCommand.Deliver deliver) {
        LocalAttempt attempt = attempts.get(deliver.attempt());
        if (attempt == null || !attempt.isFinished()) {
            early.add(deliver);
            return;
        }
        LocalInflow inflow = new LocalInflow(
                attempt, UnpooledByteBufAllocator.DEFAULT, engine.threads().replicas());
        inflow.bind(events.offer(deliver.attempt().racer(), deliver.block(), attempt.store(), inflow));
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
    public void progressed(LocalAttempt attempt, long bytes) {
        tell(attempt, AttemptState.PROGRESSED, Optional.empty());
        serial.execute(() -> happened(new RaceEvent.Progressed(attempt.id(), bytes)));
    }

    @Override
    public void finished(LocalAttempt attempt) {
        tell(attempt, AttemptState.FINISHED, Optional.empty());
        serial.execute(() -> {
            happened(new RaceEvent.Finished(attempt.id()));
            early.stream()
                    .filter(deliver -> deliver.attempt().equals(attempt.id()))
                    .findFirst()
                    .ifPresent(deliver -> {
                        early.remove(deliver);
                        deliver(deliver);
                    });
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
                happened(new RaceEvent.Cancelled(attempt.id(), attempt.bytes()));
                return;
            }
            if (cause.code().isOfReplica()) {
                events.faulted(attempt.chunk().id(), attempt.store(), cause.code());
            }
            events.localFailed(cause);
            happened(new RaceEvent.Failed(attempt.id(), cause.code()));
        });
    }

    void close() {
        closed = true;
        attempts.values().forEach(LocalAttempt::close);
        attempts.clear();
        engine.threads().replicas().execute(stores::close);
    }
}
