package io.cloudmw.lab.torture;

import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.time.Sleeper;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The garbage collections of a run, one after the other while processes fail. They delete the copies of files that are
 * gone and compact packs. Confined to one thread.
 */
final class GarbageRounds {
    private static final Duration PAUSE = Duration.ofSeconds(10);

    /** The longest time without progress, in which the coordinator's absence counts. */
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();

    private final TortureRun run;

    GarbageRounds(TortureRun run) {
        this.run = run;
    }

    /** Orders rounds until the run is over. A round that a fault ends is followed by another. */
    void untilOver() throws InterruptedException {
        do {
            boolean unused = round();
        } while (!run.isOverAfter(PAUSE.toNanos()));
    }

    /**
     * Orders a round and waits for its end, which may be that of its coordinator; returns false when there was no progress
     * for too long.
     */
    boolean round() throws InterruptedException {
        UUID order = UUID.randomUUID();
        boolean ordered = false;
        CollectRound seen = CollectRound.NONE;
        for (long since = run.now(); run.now() - since < LIMIT.toNanos(); ) {
            ordered = ordered || run.fleet().collect(order);
            Optional<OrderedRound> round = ordered ? run.fleet().collection(order) : Optional.empty();
            if (round.filter(known -> known.state().isOver()).isPresent()) {
                run.packs()
                        .compacted()
                        .addAndGet(round.get().found().compacted().copies());
                return true;
            }
            CollectRound found = round.map(OrderedRound::found).orElse(seen);
            since = found.equals(seen) ? since : run.now();
            seen = found;
            Sleeper.system().sleep(POLL_NANOS);
        }
        return false;
    }
}
