package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.disk.OwnDisk;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registration of this helper with the coordinator. The helper registers, then sends heartbeats, and registers
 * again when the coordinator does not know the helper any more. While no coordinator answers it retries with backoff,
 * and the helper goes on serving. When another process has the helper's id, it retries until that lease ends, or until
 * it is closed. Confined to a thread of its own, except {@link #start}, {@link #close} and the accessors.
 */
public final class Registration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
    /**
     * Backoff of retries. Its longest delay is the default time between heartbeats, a load that a coordinator can bear.
     */
    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(200), Duration.ofSeconds(2));

    /** A failure that goes on is told again after so many tries, which are some seconds apart. */
    private static final int FAILURES_PER_WARNING = 20;

    private static final long SHORTEST_HEARTBEAT_MILLIS = 50;

    private final CoordinatorCalls coordinator;
    private final HelperAddress self;
    private final HelperLease lease;
    private final RandomGenerator random;
    private final Thread thread = Threads.factory("registration").newThread(this::run);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CompletableFuture<Void> registered = new CompletableFuture<>();
    private final CompletableFuture<Void> accepted = new CompletableFuture<>();
    private final CompletableFuture<CloudMwException> refused = new CompletableFuture<>();

    /** The reason why the helper is not ready; empty when the last call was answered. */
    private volatile String unready = "not registered yet: no coordinator has answered";

    private boolean wasRegistered;
    private @Nullable ErrorCode lastFailure;
    private int failures;

    /**
     * @param buckets knows which buckets this helper cannot use; the first registration waits a little for their first
     *     probe
     * @param speeds the measured speeds to report
     * @param activity called on the thread of the heartbeats
     */
    public Registration(
            CoordinatorCalls coordinator,
            HelperAddress self,
            List<OwnDisk> disks,
            BucketWatch buckets,
            SpeedMonitor speeds,
            Supplier<HelperActivity> activity,
            RandomGenerator random) {
        this.coordinator = coordinator;
        this.self = self;
        this.lease = new HelperLease(coordinator, self, disks, buckets, speeds, activity);
        this.random = random;
    }

    /**
     * Starts to register.
     *
     * @return completes when the coordinator accepts this helper for the first time; fails when it refuses the helper
     *     for good
     * @throws CloudMwException {@code OVERLOADED} when the thread cannot be started
     */
    public CompletableFuture<Void> start() throws CloudMwException {
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    "helper " + self.id() + ": cannot start the registration thread: out of memory or threads",
                    e);
        }
        return registered.copy();
    }

    /** Completes when the coordinator accepts this helper for the first time, however late; never fails. */
    public CompletableFuture<Void> accepted() {
        return accepted.copy();
    }

    /** Completes with the coordinator's reason when it refuses a disk, at any registration; a retry would not help. */
    public CompletableFuture<CloudMwException> refused() {
        return refused.copy();
    }

    /** Runs until this is closed: without heartbeats the coordinator would take the helper for dead. */
    private void run() {
        boolean closed = false;
        while (!closed) {
            long pauseMillis = TimeUnit.NANOSECONDS.toMillis(BACKOFF.longestNanos());
            try {
                pauseMillis = step();
            } catch (RuntimeException | Error e) {
                // Memory may not even suffice to log: try again later.
                failures++;
            }
            try {
                closed = closing.await(pauseMillis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                closed = closing.getCount() == 0;
            }
        }
    }

    /** The reason why the coordinator does not use this helper; empty when it does. Any thread. */
    public Optional<String> unready() {
        return Optional.of(unready).filter(reason -> !reason.isEmpty());
    }

    /** The disks that the last registration declared lost. Any thread. */
    public List<StoreId> lostDisks() {
        return lease.lostDisks();
    }

    /** Registers or sends a heartbeat; returns the delay before the next step in milliseconds. */
    private long step() {
        try {
            CoordinatorCalls.Lease held = lease.held();
            if (held == null) {
                held = lease.register();
                LOG.info(
                        "helper {} is registered{} with {}, epoch {}",
                        self.id(),
                        wasRegistered ? " again" : "",
                        coordinator.current(),
                        held.epoch());
                wasRegistered = true;
                registered.complete(null);
                accepted.complete(null);
                lease.reportAll();
            } else {
                lease.renew(held);
                if (failures > 0) {
                    LOG.info("helper {} reaches coordinator {} again", self.id(), coordinator.current());
                }
            }
            unready = "";
            failures = 0;
            lastFailure = null;
            return jittered(Math.max(SHORTEST_HEARTBEAT_MILLIS, held.heartbeatMillis()));
        } catch (CloudMwException e) {
            return failed(e);
        } catch (RuntimeException | Error e) {
            LOG.error("helper {}: registration failed by a defect", self.id(), e);
            return failed(new CloudMwException(ErrorCode.INTERNAL, String.valueOf(e.getMessage()), e));
        }
    }

    private long failed(CloudMwException cause) {
        unready = (wasRegistered ? "the coordinator is lost: " : "not registered yet: ") + cause.getMessage() + " ("
                + cause.code() + ")";
        if (cause.code() == ErrorCode.HELPER_UNKNOWN) {
            LOG.info("helper {}: the coordinator does not know it any more; registering again", self.id());
            lease.forget();
            return 0;
        }
        failures++;
        boolean stops = cause.code() == ErrorCode.CANCELLED;
        if (!stops && (lastFailure != cause.code() || failures % FAILURES_PER_WARNING == 0)) {
            lastFailure = cause.code();
            LOG.warn(
                    "helper {} {}: {} ({}); retrying",
                    self.id(),
                    !lease.isHeld() ? "is not registered" : "lost the coordinator",
                    cause.getMessage(),
                    cause.code());
        }
        switch (cause.code()) {
            case STORE_MISMATCH -> {
                registered.completeExceptionally(cause);
                refused.complete(cause);
            }
            case INVALID_ARGUMENT, VERSION_UNSUPPORTED, UNAUTHENTICATED, ALREADY_EXISTS, CONFLICT ->
                registered.completeExceptionally(cause);
            default -> LOG.debug("helper {}: try {} failed", self.id(), failures);
        }
        return TimeUnit.NANOSECONDS.toMillis(BACKOFF.halfJitterNanos(failures, random));
    }

    /**
     * A random delay between half and all of it, so that helpers that lost the coordinator together do not return
     * together.
     */
    private long jittered(long millis) {
        return millis / 2 + random.nextLong(millis / 2 + 1);
    }

    /** Waits briefly for a running call, then gives the lease back, so that the id is free at once. */
    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(1).toMillis());
            if (thread.isAlive()) {
                LOG.debug("helper {}: a call is still running; the lease ends by itself", self.id());
                return;
            }
            lease.giveBack();
        } catch (CloudMwException e) {
            LOG.debug("helper {}: could not give the lease back; it ends by itself", self.id(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
