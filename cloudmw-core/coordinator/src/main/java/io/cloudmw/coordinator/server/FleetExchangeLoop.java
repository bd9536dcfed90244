package io.cloudmw.coordinator.server;

import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.thread.Threads;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The periodic exchange of reports between coordinators of one catalog, on a thread of its own. No other work may delay
 * it, or live helpers would count as dead. A single coordinator has no exchange.
 */
final class FleetExchangeLoop implements AutoCloseable {
    private static final long GRACE_SECONDS = 2;
    private static final Logger LOG = LoggerFactory.getLogger(FleetExchangeLoop.class);

    private final ScheduledExecutorService thread = Threads.timer("coordinator-exchange");
    private Optional<Coordinator> started = Optional.empty();
    private boolean failing;

    /** Starts the loop, once, before it is closed. */
    void start(Coordinator coordinator) {
        if (coordinator.isShared()) {
            started = Optional.of(coordinator);
            long nanos = coordinator.options().exchangeInterval().toNanos();
            var unused = thread.scheduleWithFixedDelay(() -> once(coordinator), 0, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Runs one exchange and logs the first failure; an exception would end the loop. */
    private void once(Coordinator coordinator) {
        try {
            coordinator.exchangeSightings();
            failing = false;
        } catch (CloudMwException | RuntimeException | Error e) {
            if (!failing) {
                LOG.warn("coordinator: the exchange of reports about helpers failed; retrying", e);
            }
            failing = true;
        }
    }

    /** Ends the loop and withdraws this coordinator's reports if that is quick. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (thread.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS) && started.isPresent()) {
                started.get().endExchange();
            }
        } catch (CloudMwException e) {
            LOG.debug("coordinator: its reports could not be withdrawn; the others will drop them", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
