package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Race;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.testing.DeliveryEvent;
import io.cloudmw.core.testing.RaceCommand;
import io.cloudmw.core.testing.RaceEvent;
import io.cloudmw.core.testing.RecordedRace;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A helper, or the client, in one transfer: it drives a {@link Race} by its own, skewed clock. */
final class FleetHost {
    private static final long REPORT_EVERY_NANOS = 250_000_000;

    final int process;
    final Set<RacerId> ranks;
    boolean gone;
    private final FleetTransfer transfer;
    private final RecordedRace race;
    private final double drift;
    private final Map<BlockId, Block> blocks = new HashMap<>();
    private final Map<AttemptId, FleetFetch> fetches = new HashMap<>();
    /** Blocks known to be another's, or over. */
    private final Set<BlockId> closed = new HashSet<>();

    private long wakeAtNanos = -1;

    FleetHost(int process, Set<RacerId> ranks, FleetTransfer transfer, double drift) {
        this.process = process;
        this.ranks = new TreeSet<>(ranks);
        this.transfer = transfer;
        this.race = new RecordedRace(RacePolicy.rounds(), ranks);
        this.drift = drift;
    }

    private long ownNanos() {
        return (long) (transfer.fleet.clock.nanos() * drift) + process * 1_000_003L;
    }

    void handle(RaceEvent event) {
        if (gone || transfer.isOver()) {
            return;
        }
        note(event);
        for (RaceCommand command : race.on(event, ownNanos())) {
            execute(command);
        }
        OptionalLong wake = race.wakeAtNanos();
        if (wake.isPresent() && wake.getAsLong() != wakeAtNanos) {
            wakeAtNanos = wake.getAsLong();
            long delay = (long) (Math.max(0, wakeAtNanos - ownNanos()) / drift) + 1;
            transfer.fleet.clock.after(delay, () -> handle(new RaceEvent.TimePassed()));
        }
    }

    private void note(RaceEvent event) {
        if (event instanceof RaceEvent.Issued issued) {
            blocks.put(issued.block().id(), issued.block());
        } else if (event instanceof RaceEvent.Withdrawn withdrawn) {
            closed.add(withdrawn.block());
        } else if (event instanceof RaceEvent.Delivered delivered) {
            closed.add(delivered.block());
        } else if (event instanceof RaceEvent.RivalClaimed claimed) {
            closed.add(claimed.block());
        }
    }

    private void execute(RaceCommand command) {
        if (command instanceof RaceCommand.Start start) {
            start(start);
        } else if (command instanceof RaceCommand.Cancel cancel) {
            FleetFetch fetch = end(cancel.attempt());
            if (fetch != null) {
                report(fetch, AttemptStage.STOPPED);
            }
        } else if (command instanceof RaceCommand.Shorten shorten) {
            shorten(shorten);
        } else if (command instanceof RaceCommand.Discard discard) {
            end(discard.attempt());
        } else if (command instanceof RaceCommand.Deliver deliver) {
            FleetFetch fetch = fetches.get(deliver.attempt());
            if (fetch != null) {
                fetch.offers = true;
                offer(fetch);
            }
        } else if (command instanceof RaceCommand.Claim claim) {
            transfer.tell(this, claim.rival(), new RaceEvent.RivalClaimed(claim.self(), claim.block()));
        } else if (command instanceof RaceCommand.TellStarted started) {
            transfer.tell(this, started.rival(), new RaceEvent.RivalStarted(started.self(), started.block()));
        } else if (command instanceof RaceCommand.Yield yield) {
            transfer.tell(this, yield.rival(), new RaceEvent.RivalYielded(yield.self(), yield.block()));
        } else if (command instanceof RaceCommand.Forfeit forfeit) {
            transfer.tell(this, forfeit.rival(), new RaceEvent.RivalForfeited(forfeit.self(), forfeit.block()));
        } else if (command instanceof RaceCommand.ReportLost lost) {
            transfer.report(this, new DeliveryEvent.Lost(lost.block(), lost.self(), lost.winner()));
        } else if (command instanceof RaceCommand.ReportForfeited forfeited) {
            transfer.report(this, new DeliveryEvent.Forfeited(forfeited.block(), forfeited.self(), forfeited.code()));
        }
    }

    private void start(RaceCommand.Start start) {
        Block block = start.block();
        transfer.check(!closed.contains(block.id()), 4, "starts after the winner is known: " + start.attempt());
        long running = fetches.values().stream()
                .filter(other -> !other.isWhole()
                        && other.attempt.racer().equals(start.attempt().racer()))
                .count();
        transfer.check(running == 0, 6, "two attempts at a time: " + start.attempt());
        int store = transfer.store(block.chunkIndex(), start.replica());
        FleetFetch fetch = new FleetFetch(
                start.attempt(), block, store, transfer.fleet.stores.open(store), transfer.fleet.clock.nanos());
        fetches.put(start.attempt(), fetch);
        transfer.requests++;
        transfer.begun.add(block.id());
        report(fetch, AttemptStage.STARTED);
        reportLater(fetch);
        fetchNext(fetch);
    }

    private void fetchNext(FleetFetch fetch) {
        long bytes = Math.min(transfer.leafBytes(), fetch.block.range().length() - fetch.fetchedBytes);
        fetch.reading.next(bytes, () -> arrived(fetch, bytes));
    }

    private void arrived(FleetFetch fetch, long bytes) {
        if (fetch.over) {
            return;
        }
        long now = transfer.fleet.clock.nanos();
        StoreId store = FleetTransfer.storeId(fetch.store);
        if (fetch.fetchedBytes == 0) {
            fetch.firstByteAtNanos = now;
            transfer.fleet.speeds.firstByte(store, now - fetch.startedAtNanos);
        }
        fetch.fetchedBytes += bytes;
        transfer.fetchedBytes += bytes;
        if (fetch.offers) {
            offer(fetch);
        }
        if (fetch.isWhole()) {
            whole(fetch);
        } else {
            fetchNext(fetch);
        }
    }

    private void whole(FleetFetch fetch) {
        long took = transfer.fleet.clock.nanos() - fetch.firstByteAtNanos;
        if (took > 0) {
            transfer.fleet.speeds.throughput(
                    FleetTransfer.storeId(fetch.store), (fetch.fetchedBytes - transfer.leafBytes()) * 1e9 / took);
        }
        fetch.reading.close();
        report(fetch, AttemptStage.FETCHED);
        handle(new RaceEvent.Finished(fetch.attempt));
    }

    private void shorten(RaceCommand.Shorten shorten) {
        FleetFetch fetch = fetches.get(shorten.attempt());
        if (fetch != null && !fetch.isWhole()) {
            fetch.lengthBytes = shorten.length();
            if (fetch.isWhole()) {
                whole(fetch);
            }
        }
    }

    private void offer(FleetFetch fetch) {
        if (fetch.relay == null && fetch.fetchedBytes > 0) {
            fetch.relay = transfer.offer(this, fetch);
        } else if (fetch.relay != null) {
            transfer.pump(fetch.relay);
        }
    }

    private @Nullable FleetFetch end(AttemptId attempt) {
        FleetFetch fetch = fetches.remove(attempt);
        if (fetch != null) {
            fetch.over = true;
            fetch.reading.close();
        }
        return fetch;
    }

    /** The process can no longer be reached, or the transfer is over. */
    void die() {
        gone = true;
        fetches.values().forEach(fetch -> {
            fetch.over = true;
            fetch.reading.close();
        });
        fetches.clear();
    }

    private void reportLater(FleetFetch fetch) {
        transfer.fleet.clock.after(REPORT_EVERY_NANOS, () -> {
            if (!fetch.over && !fetch.isWhole() && !transfer.isOver()) {
                report(fetch, AttemptStage.UNDER_WAY);
                reportLater(fetch);
            }
        });
    }

    private void report(FleetFetch fetch, AttemptStage stage) {
        AttemptId attempt = fetch.attempt;
        transfer.report(
                this,
                new DeliveryEvent.Attempted(
                        attempt.block(), attempt.racer(), attempt.number(), stage, fetch.fetchedBytes));
    }
}
