package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.HelperAdmission;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.helper.disk.OwnDisk;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of this helper at the coordinator: it registers the helper, then renews the lease with heartbeats, which
 * report speeds, disks and buckets. Confined to one thread, except {@link #lostDisks}.
 */
final class HelperLease {
    private static final Logger LOG = LoggerFactory.getLogger(HelperLease.class);
    private static final Duration FIRST_PROBE = Duration.ofSeconds(3);

    private final CoordinatorCalls coordinator;
    private final HelperAddress self;
    private final List<OwnDisk> disks;
    private final BucketWatch buckets;
    private final SpeedMonitor speeds;
    private final Supplier<HelperActivity> activity;
    private final long incarnation = UUID.randomUUID().getMostSignificantBits();
    private volatile List<StoreId> lostDisks = List.of();
    private CoordinatorCalls.@Nullable Lease held;

    /**
     * Registers nothing yet.
     *
     * @param buckets knows which buckets this helper cannot use; the first registration waits a little for their first
     *     probe
     * @param speeds the measured speeds to report
     * @param activity called for each heartbeat
     */
    HelperLease(
            CoordinatorCalls coordinator,
            HelperAddress self,
            List<OwnDisk> disks,
            BucketWatch buckets,
            SpeedMonitor speeds,
            Supplier<HelperActivity> activity) {
        this.coordinator = coordinator;
        this.self = self;
        this.disks = List.copyOf(disks);
        this.buckets = buckets;
        this.speeds = speeds;
        this.activity = activity;
    }

    boolean isHeld() {
        return held != null;
    }

    /**
     * Registers the helper and admits its disks.
     *
     * @return the lease, which is held now
     */
    CoordinatorCalls.Lease register() throws CloudMwException {
        awaitBuckets();
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
        held = granted;
        return granted;
    }

    /** Waits for the first probe, so that the coordinator knows early which buckets this helper cannot use. */
    private void awaitBuckets() {
        try {
            boolean unused = buckets.awaitFirstLook(FIRST_PROBE);
        } catch (InterruptedException e) {
            // An interrupt means that this is being closed.
            Thread.currentThread().interrupt();
        }
    }

    /** Reports all speeds again with the next heartbeats. */
    void reportAll() {
        speeds.tellAgain();
    }

    /** Renews the held lease and reports the news. */
    void renew(CoordinatorCalls.Lease lease) throws CloudMwException {
        SpeedMonitor.News news = speeds.news(MonitorWire.MAX_SPEEDS);
        HeartbeatAnswer answer =
                coordinator.heartbeat(self, lease, disks, buckets.faults(), news.speeds(), activity.get());
        news.received();
        answer.doubted().forEach(buckets::doubtSoon);
        if (answer.tellAll()) {
            speeds.tellAgain();
        }
    }

    /** The lease; null when none is held. */
    CoordinatorCalls.@Nullable Lease held() {
        return held;
    }

    /** Forgets a lease that the coordinator does not know any more. */
    void forget() {
        held = null;
    }

    /** Gives the lease back, if one is held. */
    void giveBack() throws CloudMwException {
        CoordinatorCalls.Lease lease = held;
        if (lease != null) {
            coordinator.leave(self, lease);
            held = null;
        }
    }

    /** The disks that the last registration declared lost. Any thread. */
    List<StoreId> lostDisks() {
        return lostDisks;
    }
}
