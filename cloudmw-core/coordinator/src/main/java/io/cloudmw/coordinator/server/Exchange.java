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
 * Lets a coordinator and those that share its catalog tell each other which helpers they hear, again and again, on a thread of
 * its own: nothing else may hold that up, or helpers would be taken for dead. One that has its catalog alone has nothing to
 * tell.
 */
final class Exchange implements AutoCloseable {
    private static final long GRACE_SECONDS = 2;
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    private final ScheduledExecutorService thread = Threads.timer("coordinator-exchange");
    private Optional<Coordinator> started = Optional.empty();
    private boolean failing;

    /** Starts, once, before anybody closes it. */
    void start(Coordinator coordinator) {
        if (coordinator.isShared()) {
            started = Optional.of(coordinator);
            long nanos = coordinator.options().exchangeInterval().toNanos();
            var unused = thread.scheduleWithFixedDelay(() -> once(coordinator), 0, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Throws nothing: it would not be called again. Says once that it does not work. */
    private void once(Coordinator coordinator) {
        try {
            coordinator.exchangeSightings();
            failing = false;
        } catch (CloudMwException | RuntimeException | Error e) {
            if (!failing) {
                LOG.warn("coordinator: the others are not told which helpers are alive; trying on", e);
            }
            failing = true;
        }
    }

    /** The others are told that nothing more will come, if that goes quickly. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (thread.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS) && started.isPresent()) {
                started.get().endExchange();
            }
        } catch (CloudMwException e) {
            LOG.debug("coordinator: what it told last is dropped by the others", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
