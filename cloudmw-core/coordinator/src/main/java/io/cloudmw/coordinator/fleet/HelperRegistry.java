package io.cloudmw.coordinator.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.HelperRegistration;
import io.cloudmw.core.model.fleet.HelperSighting;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The registry of helpers: their leases, as this coordinator knows them. A helper registers, then renews its lease by
 * heartbeats that name the epoch of its registration. A heartbeat without a lease or with another epoch is answered with
 * {@code HELPER_UNKNOWN}, and the helper registers again.
 *
 * <p>A lease belongs to one process, by its incarnation. While the lease holds, another process with the same id must
 * wait; it is refused for good when the first one is heard again. Nothing survives a restart: all helpers return within
 * one heartbeat. Coordinators of one catalog exchange what they hear ({@link FleetExchange}), and agree on the owner of
 * an id ({@link LeaseAuthority}). Safe for any thread; never blocks.
 */
public final class HelperRegistry {
    /** The most leases at once; ended ones are dropped to make room. */
    static final int MAX_HELPERS = 4096;

    /** The most waiting processes remembered for one id; beyond that the first is dropped. */
    static final int MAX_CONTENDERS = 16;

    private final Ticker ticker;
    private final WallClock clock;
    private final long ttlNanos;

    @GuardedBy("this")
    private long startedNanos;

    /** When the other coordinators were last heard; empty: there is none, or not yet. */
    @GuardedBy("this")
    private OptionalLong listenedNanos = OptionalLong.empty();

    @GuardedBy("this")
    private final TreeMap<HelperId, HelperLease> leases = new TreeMap<>();

    /** For each leased id, the processes that wait for it, and since when. */
    @GuardedBy("this")
    private final Map<HelperId, LinkedHashMap<Long, Long>> contenders = new HashMap<>();

    @GuardedBy("this")
    private long lastEpoch;

    /**
     * The lease of one helper.
     *
     * @param heardNanos the latest time at which it may have been heard, here or elsewhere
     * @param provenNanos the latest time at which it was surely heard
     * @param hereNanos when it was last heard by this coordinator
     * @param usage of its disks, in its last report
     * @param faults buckets that it cannot use, in its last report
     * @param left whether it has left
     */
    private record HelperLease(
            HelperRegistration registration,
            long heardNanos,
            long provenNanos,
            OptionalLong hereNanos,
            Map<StoreId, DiskUsage> usage,
            Map<StoreId, StoreFault> faults,
            boolean left) {

        HelperAddress address() {
            return registration.address();
        }

        List<StoreId> disks() {
            return registration.disks();
        }

        long epoch() {
            return registration.epoch();
        }
    }

    public HelperRegistry(Duration ttl, Ticker ticker, WallClock clock) {
        this.ttlNanos = ttl.toNanos();
        this.ticker = ticker;
        this.clock = clock;
        this.startedNanos = ticker.nanos();
    }

    /**
     * Grants a lease by this coordinator's own knowledge; an earlier lease of the same process ends.
     *
     * @param incarnation identifies the process, which draws it at its start
     * @return its epoch: different for every registration, also across restarts
     * @throws CloudMwException as {@link #requireFree} and {@link #requireRoom}
     */
    synchronized long register(HelperAddress address, long incarnation, List<StoreId> disks) throws CloudMwException {
        requireFree(address.id(), incarnation);
        requireRoom(address.id());
        long epoch = nextEpoch(0);
        granted(new HelperRegistration(address, incarnation, disks, epoch));
        return epoch;
    }

    /**
     * Makes room for a lease.
     *
     * @throws CloudMwException {@code OVERLOADED} when too many helpers are alive
     */
    synchronized void requireRoom(HelperId id) throws CloudMwException {
        if (!hasRoom(id)) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED, "helpers: " + leases.size() + " (expected: < " + MAX_HELPERS + ")");
        }
    }

    @GuardedBy("this")
    private boolean hasRoom(HelperId id) {
        if (leases.size() < MAX_HELPERS || leases.containsKey(id)) {
            return true;
        }
        leases.values().removeIf(lease -> !alive(lease));
        contenders.keySet().retainAll(leases.keySet());
        return leases.size() < MAX_HELPERS;
    }

    /** Returns an epoch that was never granted here, and is higher than {@code after}. */
    synchronized long nextEpoch(long after) {
        lastEpoch = Math.max(Math.max(lastEpoch, after) + 1, clock.millis());
        return lastEpoch;
    }

    /** Records a granted registration; the helper is alive from now on. */
    synchronized void granted(HelperRegistration registration) {
        HelperId id = registration.address().id();
        contenders.remove(id);
        leases.put(id, heardNow(registration, Map.of(), Map.of(), false));
    }

    private HelperLease heardNow(
            HelperRegistration registration,
            Map<StoreId, DiskUsage> usage,
            Map<StoreId, StoreFault> faults,
            boolean left) {
        long now = ticker.nanos();
        return new HelperLease(registration, now, now, OptionalLong.of(now), usage, faults, left);
    }

    /**
     * Refuses a process while another one holds the lease of its id.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} while the other process may have died, so that the
     *     helper retries until its lease ends; {@code ALREADY_EXISTS} when the other process was heard since
     *     {@code incarnation} first asked
     */
    synchronized void requireFree(HelperId id, long incarnation) throws CloudMwException {
        HelperLease lease = leases.get(id);
        if (lease == null || lease.registration().incarnation() == incarnation || !alive(lease)) {
            return;
        }
        if (lease.provenNanos() - contendingSince(id, incarnation) > 0) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS,
                    taken(lease.registration()) + ", and is alive; stop it, or choose another id (helper.id)");
        }
        throw mayBeDead(lease.registration(), ttlNanos - (ticker.nanos() - lease.heardNanos()));
    }

    /**
     * Refuses a process while the registered one may be alive. A process registered elsewhere that no coordinator has
     * reported may be alive until a lease's life has passed.
     *
     * @param noted another process than {@code incarnation}
     */
    synchronized void requireFree(HelperId id, long incarnation, HelperRegistration noted) throws CloudMwException {
        HelperLease lease = leases.get(id);
        if (lease != null && lease.epoch() >= noted.epoch()) {
            requireFree(id, incarnation);
            return;
        }
        long leftNanos = ttlNanos - (ticker.nanos() - contendingSince(id, incarnation));
        if (leftNanos > 0) {
            throw mayBeDead(noted, leftNanos);
        }
    }

    @GuardedBy("this")
    private long contendingSince(HelperId id, long incarnation) {
        LinkedHashMap<Long, Long> since = contenders.computeIfAbsent(id, absent -> new LinkedHashMap<>());
        if (since.size() >= MAX_CONTENDERS && !since.containsKey(incarnation)) {
            since.remove(since.keySet().iterator().next());
        }
        return since.computeIfAbsent(incarnation, asked -> ticker.nanos());
    }

    private static String taken(HelperRegistration other) {
        return "helper " + other.address().id() + ": another process has this id, at "
                + other.address().control();
    }

    private static CloudMwException mayBeDead(HelperRegistration other, long leftNanos) {
        return new CloudMwException(
                ErrorCode.COORDINATOR_UNAVAILABLE,
                taken(other) + "; if it is dead, its lease ends in " + TimeUnit.NANOSECONDS.toMillis(leftNanos)
                        + " ms");
    }

    /**
     * Renews a lease.
     *
     * @throws CloudMwException {@code HELPER_UNKNOWN} when there is none with this epoch
     */
    synchronized void heartbeat(HelperId id, long epoch, HeartbeatReport news) throws CloudMwException {
        if (!heard(id, epoch, news)) {
            throw unknown(id, epoch);
        }
    }

    /** Renews a lease that is kept here; returns false when there is none with this epoch. */
    synchronized boolean heard(HelperId id, long epoch, HeartbeatReport news) {
        HelperLease lease = leases.get(id);
        if (lease == null || lease.epoch() != epoch || !alive(lease) || !isHere(lease)) {
            return false;
        }
        heard(lease.registration(), news);
        return true;
    }

    /** Adds or renews the lease of a registered helper. Without room, the helper counts as absent. */
    synchronized void heard(HelperRegistration registration, HeartbeatReport news) {
        HelperId id = registration.address().id();
        if (hasRoom(id)) {
            leases.put(id, heardNow(registration, usage(registration, news.disks()), news.faults(), false));
        }
    }

    private static Map<StoreId, DiskUsage> usage(HelperRegistration registration, List<DiskUsage> disks) {
        Map<StoreId, DiskUsage> usage = new HashMap<>();
        for (DiskUsage disk : disks) {
            if (registration.disks().contains(disk.store())) {
                usage.put(disk.store(), disk);
            }
        }
        return Map.copyOf(usage);
    }

    /**
     * Ends a lease at once: its helper leaves.
     *
     * @throws CloudMwException {@code HELPER_UNKNOWN} when there is none with this epoch
     */
    synchronized void leave(HelperId id, long epoch) throws CloudMwException {
        HelperLease lease = leases.get(id);
        if (lease == null || lease.epoch() != epoch || !alive(lease)) {
            throw unknown(id, epoch);
        }
        left(lease.registration());
    }

    /** Records that a helper left. */
    synchronized void left(HelperRegistration registration) {
        HelperId id = registration.address().id();
        if (hasRoom(id)) {
            HelperLease lease = leases.get(id);
            leases.put(id, heardNow(registration, lease == null ? Map.of() : lease.usage(), Map.of(), true));
        }
    }

    static CloudMwException unknown(HelperId id, long epoch) {
        return new CloudMwException(
                ErrorCode.HELPER_UNKNOWN,
                "helper " + id + " has no lease with epoch " + epoch + ": it must register again");
    }

    /** Returns the helpers that this coordinator itself heard within a lease's life, including those that left. */
    synchronized List<HelperSighting> sightings() {
        List<HelperSighting> here = new ArrayList<>();
        for (HelperLease lease : leases.values()) {
            if (isHere(lease)) {
                here.add(new HelperSighting(
                        lease.registration(),
                        TimeUnit.NANOSECONDS.toMillis(
                                ticker.nanos() - lease.hereNanos().getAsLong()),
                        lease.left(),
                        List.copyOf(lease.usage().values()),
                        lease.faults()));
            }
        }
        return here;
    }

    /**
     * Records a report of another coordinator.
     *
     * @param earliestNanos the earliest time at which the helper may have been heard
     * @param latestNanos the latest such time
     */
    synchronized void told(HelperSighting sighting, long earliestNanos, long latestNanos) {
        HelperRegistration registration = sighting.registration();
        HelperId id = registration.address().id();
        Map<StoreId, DiskUsage> usage = usage(registration, sighting.disks());
        HelperLease known = leases.get(id);
        if (known == null || known.epoch() < registration.epoch()) {
            if (hasRoom(id)) {
                contenders.remove(id);
                leases.put(
                        id,
                        new HelperLease(
                                registration,
                                latestNanos,
                                earliestNanos,
                                OptionalLong.empty(),
                                usage,
                                sighting.faults(),
                                sighting.left()));
            }
        } else if (known.epoch() == registration.epoch()) {
            boolean newer = latestNanos - known.heardNanos() > 0;
            leases.put(
                    id,
                    new HelperLease(
                            registration,
                            newer ? latestNanos : known.heardNanos(),
                            earliestNanos - known.provenNanos() > 0 ? earliestNanos : known.provenNanos(),
                            known.hereNanos(),
                            newer ? usage : known.usage(),
                            newer ? sighting.faults() : known.faults(),
                            known.left() || sighting.left()));
        }
    }

    /** Returns all known helpers, by id. */
    public synchronized List<RegisteredHelper> all() {
        long now = ticker.nanos();
        List<RegisteredHelper> all = new ArrayList<>();
        for (HelperLease lease : leases.values()) {
            long age = Math.max(0, TimeUnit.NANOSECONDS.toMillis(now - lease.heardNanos()));
            all.add(new RegisteredHelper(lease.address(), lease.disks(), alive(lease), age));
        }
        return all;
    }

    /** Returns the helpers whose lease holds, by id. */
    public synchronized List<HelperAddress> live() {
        return leases.values().stream()
                .filter(this::alive)
                .map(HelperLease::address)
                .toList();
    }

    public synchronized boolean isAlive(HelperId id) {
        HelperLease lease = leases.get(id);
        return lease != null && alive(lease);
    }

    /** Returns whether a helper ended its lease by itself. */
    synchronized boolean hasLeft(HelperId id) {
        HelperLease lease = leases.get(id);
        return lease != null && lease.left();
    }

    /** Returns whether a disk is attached: its owner's lease holds, and the owner named it when it registered. */
    public synchronized boolean isAttached(HelperId owner, StoreId disk) {
        HelperLease lease = leases.get(owner);
        return lease != null && alive(lease) && lease.disks().contains(disk);
    }

    /** Returns why live helpers cannot use a bucket; helpers that can are left out. */
    public synchronized Map<HelperId, StoreFault> faults(StoreId store) {
        Map<HelperId, StoreFault> faults = new TreeMap<>();
        for (HelperLease lease : leases.values()) {
            StoreFault fault = lease.faults().get(store);
            if (fault != null && alive(lease)) {
                faults.put(lease.address().id(), fault);
            }
        }
        return faults;
    }

    /** Returns the buckets with a fault of this kind at a live helper. */
    synchronized Set<StoreId> faulty(Predicate<StoreFault> kind) {
        Set<StoreId> faulty = new TreeSet<>();
        for (HelperLease lease : leases.values()) {
            if (alive(lease)) {
                lease.faults().forEach((store, fault) -> {
                    if (kind.test(fault)) {
                        faulty.add(store);
                    }
                });
            }
        }
        return faulty;
    }

    /** Returns whether a helper can use a bucket, by its own reports. */
    synchronized boolean canUse(HelperId id, StoreId store) {
        HelperLease lease = leases.get(id);
        return lease == null || !lease.faults().containsKey(store);
    }

    /** Records which buckets a newly registered helper cannot use. */
    public synchronized void told(HelperId id, Map<StoreId, StoreFault> faults) {
        HelperLease lease = leases.get(id);
        if (lease != null && alive(lease)) {
            leases.put(id, heardNow(lease.registration(), lease.usage(), faults, false));
        }
    }

    /** Returns the last known address of a helper, alive or not. */
    synchronized Optional<HelperAddress> address(HelperId id) {
        return Optional.ofNullable(leases.get(id)).map(HelperLease::address);
    }

    /** Returns the free bytes of a disk in its owner's last report; empty without a report. */
    public OptionalLong freeBytes(HelperId owner, StoreId disk) {
        return usage(owner, disk)
                .map(usage -> OptionalLong.of(usage.freeBytes()))
                .orElse(OptionalLong.empty());
    }

    /** Returns how full a disk is in its owner's last report; empty without a report. */
    synchronized Optional<DiskUsage> usage(HelperId owner, StoreId disk) {
        HelperLease lease = leases.get(owner);
        return lease == null
                ? Optional.empty()
                : Optional.ofNullable(lease.usage().get(disk));
    }

    /**
     * Returns whether {@code id} may still return after a restart of the coordinator: it was not heard, and a lease's
     * life has not passed since the start.
     */
    public synchronized boolean mayReturn(HelperId id) {
        HelperLease lease = leases.get(id);
        return isStarting() && (lease == null || (!lease.left() && !alive(lease)));
    }

    /**
     * Returns whether less than a lease's life has passed since the start, or since this process continued after a long
     * stop.
     */
    public synchronized boolean isStarting() {
        return isOutdated() || ticker.nanos() - startedNanos < ttlNanos;
    }

    /** Records that the other coordinators were just heard. A long time without it counts as a new start. */
    public synchronized void listened() {
        if (isOutdated()) {
            startedNanos = ticker.nanos();
        }
        listenedNanos = OptionalLong.of(ticker.nanos());
    }

    @GuardedBy("this")
    private boolean isOutdated() {
        return listenedNanos.isPresent() && ticker.nanos() - listenedNanos.getAsLong() > ttlNanos / 2;
    }

    private boolean isHere(HelperLease lease) {
        return lease.hereNanos().isPresent()
                && ticker.nanos() - lease.hereNanos().getAsLong() < ttlNanos;
    }

    private boolean alive(HelperLease lease) {
        return !lease.left() && ticker.nanos() - lease.heardNanos() < ttlNanos;
    }
}
