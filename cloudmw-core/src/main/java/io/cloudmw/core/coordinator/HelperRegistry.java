package io.cloudmw.core.coordinator;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The leases of helpers. A helper registers, then keeps its lease by heartbeats that name the epoch of its
 * registration; a heartbeat without a lease, or with another epoch, is answered with {@code HELPER_UNKNOWN}, and the
 * helper registers again. A lease belongs to one process, by its incarnation: while it holds, another process that
 * comes under the same id has to wait, and is refused for good as soon as the first one is heard again. Nothing is kept
 * over a restart: within one heartbeat everybody is back. Safe for any thread; never blocks.
 */
public final class HelperRegistry {
    /** Leases held at once; those that ended are dropped to make room. */
    static final int MAX_HELPERS = 4096;

    private final Ticker ticker;
    private final WallClock clock;
    private final long ttlNanos;
    private final long startedNanos;

    @GuardedBy("this")
    private final TreeMap<HelperId, Lease> leases = new TreeMap<>();

    /** For ids that have a lease: the process that asked last for one that another holds. */
    @GuardedBy("this")
    private final Map<HelperId, Contender> contenders = new HashMap<>();

    @GuardedBy("this")
    private long lastEpoch;

    /** One helper's lease; the usage of its disks as of its last heartbeat; whether it said that it leaves. */
    private record Lease(
            HelperAddress address,
            long incarnation,
            List<StoreId> disks,
            long epoch,
            long heardNanos,
            Map<StoreId, DiskUsage> usage,
            boolean left) {}

    /** A process that was told to wait, and since when it asks. */
    private record Contender(long incarnation, long sinceNanos) {}

    public HelperRegistry(Duration ttl, Ticker ticker, WallClock clock) {
        this.ttlNanos = ttl.toNanos();
        this.ticker = ticker;
        this.clock = clock;
        this.startedNanos = ticker.nanos();
    }

    /**
     * Grants a lease; one that the same process held before ends.
     *
     * @param incarnation the process: drawn by it at its start
     * @return its epoch: different for every registration, also over restarts
     * @throws CloudMwException as {@link #requireFree}; {@code OVERLOADED} when too many helpers are alive
     */
    synchronized long register(HelperAddress address, long incarnation, List<StoreId> disks) throws CloudMwException {
        requireFree(address.id(), incarnation);
        if (leases.size() >= MAX_HELPERS && !leases.containsKey(address.id())) {
            leases.values().removeIf(lease -> !alive(lease));
            contenders.keySet().retainAll(leases.keySet());
            if (leases.size() >= MAX_HELPERS) {
                throw new CloudMwException(
                        ErrorCode.OVERLOADED, "helpers: " + leases.size() + " (expected: < " + MAX_HELPERS + ")");
            }
        }
        lastEpoch = Math.max(lastEpoch + 1, clock.millis());
        contenders.remove(address.id());
        leases.put(
                address.id(),
                new Lease(address, incarnation, List.copyOf(disks), lastEpoch, ticker.nanos(), Map.of(), false));
        return lastEpoch;
    }

    /**
     * Refuses a process while another one holds the lease of its id.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} as long as the other one may have died: ask again, until
     *     its lease ends; {@code ALREADY_EXISTS} when it was heard since {@code incarnation} asked first
     */
    synchronized void requireFree(HelperId id, long incarnation) throws CloudMwException {
        Lease lease = leases.get(id);
        if (lease == null || lease.incarnation() == incarnation || !alive(lease)) {
            return;
        }
        long now = ticker.nanos();
        Contender contender = contenders.get(id);
        if (contender == null || contender.incarnation() != incarnation) {
            contender = new Contender(incarnation, now);
            contenders.put(id, contender);
        }
        String other = "helper " + id + ": another process has this id, at "
                + lease.address().control();
        if (lease.heardNanos() - contender.sinceNanos() > 0) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS, other + ", and is alive; stop it, or choose another id (helper.id)");
        }
        long leftMillis = TimeUnit.NANOSECONDS.toMillis(ttlNanos - (now - lease.heardNanos()));
        throw new CloudMwException(
                ErrorCode.COORDINATOR_UNAVAILABLE, other + "; if it is dead, its lease ends in " + leftMillis + " ms");
    }

    /**
     * Renews a lease.
     *
     * @throws CloudMwException {@code HELPER_UNKNOWN} when there is none with this epoch
     */
    synchronized void heartbeat(HelperId id, long epoch, List<DiskUsage> disks) throws CloudMwException {
        Lease lease = lease(id, epoch);
        Map<StoreId, DiskUsage> usage = new HashMap<>();
        for (DiskUsage disk : disks) {
            if (lease.disks().contains(disk.store())) {
                usage.put(disk.store(), disk);
            }
        }
        renew(id, lease, Map.copyOf(usage), false);
    }

    /**
     * Ends a lease at once: its helper leaves.
     *
     * @throws CloudMwException {@code HELPER_UNKNOWN} when there is none with this epoch
     */
    synchronized void leave(HelperId id, long epoch) throws CloudMwException {
        Lease lease = lease(id, epoch);
        renew(id, lease, lease.usage(), true);
    }

    @GuardedBy("this")
    private Lease lease(HelperId id, long epoch) throws CloudMwException {
        Lease lease = leases.get(id);
        if (lease == null || lease.epoch() != epoch || !alive(lease)) {
            throw new CloudMwException(
                    ErrorCode.HELPER_UNKNOWN,
                    "helper " + id + " has no lease with epoch " + epoch + ": register again");
        }
        return lease;
    }

    @GuardedBy("this")
    private void renew(HelperId id, Lease lease, Map<StoreId, DiskUsage> usage, boolean left) {
        leases.put(
                id,
                new Lease(
                        lease.address(),
                        lease.incarnation(),
                        lease.disks(),
                        lease.epoch(),
                        ticker.nanos(),
                        usage,
                        left));
    }

    /** All helpers heard of, by id. */
    synchronized List<HelperStatus> all() {
        long now = ticker.nanos();
        List<HelperStatus> all = new ArrayList<>();
        for (Lease lease : leases.values()) {
            long age = TimeUnit.NANOSECONDS.toMillis(now - lease.heardNanos());
            all.add(new HelperStatus(lease.address(), lease.disks(), alive(lease), age));
        }
        return all;
    }

    /** Helpers whose lease holds, by id. */
    synchronized List<HelperAddress> live() {
        return leases.values().stream().filter(this::alive).map(Lease::address).toList();
    }

    synchronized boolean isAlive(HelperId id) {
        Lease lease = leases.get(id);
        return lease != null && alive(lease);
    }

    /** Whether a disk is there: its owner's lease holds, and the owner named it when it registered. */
    synchronized boolean isAttached(HelperId owner, StoreId disk) {
        Lease lease = leases.get(owner);
        return lease != null && alive(lease) && lease.disks().contains(disk);
    }

    /** Where a helper was last heard, alive or not. */
    synchronized Optional<HelperAddress> address(HelperId id) {
        return Optional.ofNullable(leases.get(id)).map(Lease::address);
    }

    /** Free bytes of a disk as its owner last said; empty when it has not said yet. */
    synchronized OptionalLong freeBytes(HelperId owner, StoreId disk) {
        Lease lease = leases.get(owner);
        DiskUsage usage = lease == null ? null : lease.usage().get(disk);
        return usage == null ? OptionalLong.empty() : OptionalLong.of(usage.freeBytes());
    }

    /**
     * Whether {@code id} may just not have come back yet after a restart of the coordinator: nothing was heard of it,
     * and a lease's life has not passed since the start.
     */
    synchronized boolean mayReturn(HelperId id) {
        return !leases.containsKey(id) && isStarting();
    }

    /** Whether less than a lease's life has passed since the start. */
    boolean isStarting() {
        return ticker.nanos() - startedNanos < ttlNanos;
    }

    private boolean alive(Lease lease) {
        return !lease.left() && ticker.nanos() - lease.heardNanos() < ttlNanos;
    }
}
