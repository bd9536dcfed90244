package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.HelperAdmission;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.monitor.HelperActivity;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.helper.disk.OwnDisk;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this helper known to the coordinator: registers, then sends heartbeats; registers again when the coordinator
 * does not know it any more. While the coordinator is away it tries again and again, ever more slowly up to a limit,
 * and the helper serves on. A helper whose id another process has waits for the end of that one's lease; one that is
 * refused, because the other is alive, goes on asking until it is closed. Confined to a thread of its own, but for
 * {@link #start} and {@link #close}.
 */
public final class Registration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
    /** At its longest, retries come no more often than heartbeats do by default: a restarted coordinator can bear them. */
    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(200), Duration.ofSeconds(2));

    private static final long SHORTEST_HEARTBEAT_MILLIS = 50;
    private static final Duration FIRST_LOOK = Duration.ofSeconds(3);

    private final CoordinatorCalls coordinator;
    private final HelperAddress self;
    private final List<OwnDisk> disks;
    private final BucketWatch buckets;
    private final SpeedMonitor speeds;
    private final Supplier<HelperActivity> activity;
    private final RandomGenerator random;
    private final Thread thread = Threads.factory("registration").newThread(this::run);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CompletableFuture<Void> registered = new CompletableFuture<>();
    private final CompletableFuture<CloudMwException> refused = new CompletableFuture<>();
    private final long incarnation = UUID.randomUUID().getMostSignificantBits();

    /** Empty: the last call was answered, and the lease is held. */
    private volatile String unready = "not registered yet: no coordinator has answered";

    private volatile List<StoreId> lostDisks = List.of();

    private boolean wasRegistered;
    private CoordinatorCalls.@Nullable Lease lease;
    private @Nullable ErrorCode lastFailure;
    private int failures;

    /**
     * @param buckets tells which buckets this helper cannot use; before it registers it waits a little for the first look at them
     * @param speeds what to tell of stores
     * @param activity asked on the thread of the heartbeats
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
        this.disks = List.copyOf(disks);
        this.buckets = buckets;
        this.speeds = speeds;
        this.activity = activity;
        this.random = random;
    }

    /**
     * Starts to register.
     *
     * @return completes when the coordinator has accepted this helper for the first time; fails when it refuses it
     *     for good
     * @throws CloudMwException {@code OVERLOADED} when its thread cannot be started
     */
    public CompletableFuture<Void> start() throws CloudMwException {
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED, "helper " + self.id() + ": cannot start the thread that registers it", e);
        }
        return registered.copy();
    }

    /** Completes, with what the coordinator says, when it refuses a disk, at whatever registration: asking on would not help. */
    public CompletableFuture<CloudMwException> refused() {
        return refused.copy();
    }

    /** Ends only when this is closed: without it the helper would be taken for dead. */
    private void run() {
        boolean closed = false;
        while (!closed) {
            long pauseMillis = TimeUnit.NANOSECONDS.toMillis(BACKOFF.longestNanos());
            try {
                pauseMillis = step();
            } catch (RuntimeException | Error e) {
                // Too little memory even to say so: what needs none is to try again later.
                failures++;
            }
            try {
                closed = closing.await(pauseMillis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                closed = closing.getCount() == 0;
            }
        }
    }

    /** Why the coordinator does not count on this helper, as far as it knows; empty: it does. Any thread. */
    public Optional<String> unready() {
        return Optional.of(unready).filter(reason -> !reason.isEmpty());
    }

    /** The disks of this helper that were declared lost, as its last registration said. Any thread. */
    public List<StoreId> lostDisks() {
        return lostDisks;
    }

    /** How many milliseconds to wait before the next. */
    private long step() {
        try {
            CoordinatorCalls.Lease held = lease;
            if (held == null) {
                awaitBuckets();
                held = register();
                lease = held;
                LOG.info(
                        "helper {} is registered{} with {}, epoch {}",
                        self.id(),
                        wasRegistered ? " again" : "",
                        coordinator.current(),
                        held.epoch());
                wasRegistered = true;
                registered.complete(null);
                speeds.tellAgain();
            } else {
                SpeedMonitor.News news = speeds.news(MonitorWire.MAX_SPEEDS);
                HeartbeatAnswer answer =
                        coordinator.heartbeat(self, held, disks, buckets.faults(), news.speeds(), activity.get());
                news.told();
                answer.doubted().forEach(buckets::doubtSoon);
                if (answer.tellAll()) {
                    speeds.tellAgain();
                }
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

    private CoordinatorCalls.Lease register() throws CloudMwException {
        CoordinatorCalls.Lease granted = coordinator.register(
                self,
                incarnation,
                disks.stream().map(disk -> disk.admission().claim()).toList(),
                buckets.faults());
        List<StoreId> lost = granted.lostDisks();
        for (OwnDisk disk : disks) {
            if (!lost.contains(disk.store().id())) {
                disk.admission().accepted(granted.cluster());
            }
        }
        for (StoreId disk : lost) {
            if (!lostDisks.contains(disk)) {
                LOG.warn("helper {}: {}", self.id(), HelperAdmission.lostDisk(disk));
            }
        }
        lostDisks = lost;
        return granted;
    }

    /** So that nobody asks this helper for what it cannot use before the coordinator knows. */
    private void awaitBuckets() {
        try {
            boolean unused = buckets.awaitFirstLook(FIRST_LOOK);
        } catch (InterruptedException e) {
            // An interrupt means that this is being closed.
            Thread.currentThread().interrupt();
        }
    }

    private long failed(CloudMwException cause) {
        unready = (wasRegistered ? "the coordinator is lost: " : "not registered yet: ") + cause.getMessage() + " ("
                + cause.code() + ")";
        if (cause.code() == ErrorCode.HELPER_UNKNOWN) {
            LOG.info("helper {}: the coordinator does not know it any more; registering again", self.id());
            lease = null;
            return 0;
        }
        failures++;
        if (lastFailure != cause.code()) {
            lastFailure = cause.code();
            LOG.warn(
                    "helper {} {}: {} ({}); trying on",
                    self.id(),
                    lease == null ? "is not registered" : "lost the coordinator",
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

    /** Between half and all of it, so that helpers which lost the coordinator together do not come back together. */
    private long jittered(long millis) {
        return millis / 2 + random.nextLong(millis / 2 + 1);
    }

    /** Waits briefly for a call under way, then gives the lease back, so that the id is free at once. */
    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(1).toMillis());
            if (thread.isAlive()) {
                LOG.debug("helper {}: a call is still under way", self.id());
                return;
            }
            if (lease != null) {
                coordinator.leave(self, lease);
                lease = null;
            }
        } catch (CloudMwException e) {
            LOG.debug("helper {}: could not say that it leaves; its lease ends by itself", self.id(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
