package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.monitor.HelperActivity;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.helper.disk.OwnDisk;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this helper known to the coordinator: registers, then sends heartbeats; registers again when the coordinator
 * does not know it any more. While the coordinator is away it tries again and again, ever more slowly up to a limit,
 * and the helper serves on. Confined to a thread of its own.
 */
public final class Registration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
    private static final long FIRST_RETRY_MILLIS = 200;
    private static final long LONGEST_RETRY_MILLIS = 5_000;
    private static final long SHORTEST_HEARTBEAT_MILLIS = 50;

    private final CoordinatorCalls coordinator;
    private final HelperAddress self;
    private final List<OwnDisk> disks;
    private final SpeedMonitor speeds;
    private final Supplier<HelperActivity> activity;
    private final RandomGenerator random;
    private final ScheduledExecutorService thread = Threads.timer("registration");
    private final CompletableFuture<Void> registered = new CompletableFuture<>();
    private CoordinatorCalls.@Nullable Lease lease;
    private int failures;

    /**
     * @param speeds what to tell of stores
     * @param activity asked on the thread of the heartbeats
     */
    public Registration(
            CoordinatorCalls coordinator,
            HelperAddress self,
            List<OwnDisk> disks,
            SpeedMonitor speeds,
            Supplier<HelperActivity> activity,
            RandomGenerator random) {
        this.coordinator = coordinator;
        this.self = self;
        this.disks = List.copyOf(disks);
        this.speeds = speeds;
        this.activity = activity;
        this.random = random;
    }

    /**
     * Starts to register.
     *
     * @return completes when the coordinator has accepted this helper for the first time; fails when it refuses it
     *     for good
     */
    public CompletableFuture<Void> start() {
        again(0);
        return registered.copy();
    }

    private void step() {
        try {
            CoordinatorCalls.Lease held = lease;
            if (held == null) {
                held = coordinator.register(
                        self, disks.stream().map(OwnDisk::store).toList());
                lease = held;
                LOG.info("helper {} is registered, epoch {}", self.id(), held.epoch());
                registered.complete(null);
                speeds.tellAgain();
            } else {
                SpeedMonitor.News news = speeds.news(MonitorWire.MAX_SPEEDS);
                coordinator.heartbeat(self, held.epoch(), disks, news.speeds(), activity.get());
                news.told();
            }
            failures = 0;
            again(jittered(Math.max(SHORTEST_HEARTBEAT_MILLIS, held.heartbeatMillis())));
        } catch (CloudMwException e) {
            failed(e);
        } catch (RuntimeException e) {
            LOG.error("helper {}: registration failed by a defect", self.id(), e);
            failed(new CloudMwException(ErrorCode.INTERNAL, String.valueOf(e.getMessage()), e));
        }
    }

    private void failed(CloudMwException cause) {
        if (cause.code() == ErrorCode.HELPER_UNKNOWN) {
            lease = null;
            again(0);
            return;
        }
        failures++;
        if (failures == 1) {
            LOG.warn("helper {}: {} ({}); trying on", self.id(), cause.getMessage(), cause.code());
        }
        switch (cause.code()) {
            case INVALID_ARGUMENT, VERSION_UNSUPPORTED, ALREADY_EXISTS, CONFLICT ->
                registered.completeExceptionally(cause);
            default -> LOG.debug("helper {}: try {} failed", self.id(), failures);
        }
        long backoff = Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(failures - 1, 10));
        again(jittered(backoff));
    }

    /** Between half and all of it, so that helpers which lost the coordinator together do not come back together. */
    private long jittered(long millis) {
        return millis / 2 + random.nextLong(millis / 2 + 1);
    }

    private void again(long delayMillis) {
        if (Threads.later(thread, TimeUnit.MILLISECONDS.toNanos(delayMillis), this::step)
                .isEmpty()) {
            LOG.debug("helper {}: closing", self.id());
        }
    }

    /** Waits briefly for a call under way. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(Duration.ofSeconds(1).toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.debug("helper {}: a call is still under way", self.id());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
