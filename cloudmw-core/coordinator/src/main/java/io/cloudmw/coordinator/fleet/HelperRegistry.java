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
 * The leases of helpers, as this coordinator knows them. A helper registers, then keeps its lease by heartbeats that name
 * the epoch of its registration; a heartbeat without a lease, or with another epoch, is answered with {@code
 * HELPER_UNKNOWN}, and the helper registers again. A lease belongs to one process, by its incarnation: while it holds,
 * another process that comes under the same id has to wait, and is refused for good as soon as the first one is heard
 * again. Nothing is kept over a restart: within one heartbeat everybody is back. Coordinators that share a catalog tell
 * each other whom they hear ({@link FleetExchange}), and agree on who has an id ({@link Registrations}). Safe for any
 * thread; never blocks.
 */
public final class HelperRegistry {
    /** Leases held at once; those that ended are dropped to make room. */
    static final int MAX_HELPERS = 4096;

    /** Processes remembered to have asked for one id that another holds; of more, the first is forgotten. */
    static final int MAX_CONTENDERS = 16;

    private final Ticker ticker;
    private final WallClock clock;
    private final long ttlNanos;

    @GuardedBy("this")
    private long startedNanos;

    /** When the other coordinators were last listened to; empty: there is none, or not yet. */
    @GuardedBy("this")
    private OptionalLong listenedNanos = OptionalLong.empty();

    @GuardedBy("this")
    private final TreeMap<HelperId, Lease> leases = new TreeMap<>();

    /** For ids that have a lease: the processes that asked for one that another holds, and since when each asks. */
    @GuardedBy("this")
    private final Map<HelperId, LinkedHashMap<Long, Long>> contenders = new HashMap<>();

    @GuardedBy("this")
    private long lastEpoch;

    /**
     * One helper's lease.
     *
     * @param heardNanos when it was last heard, here or elsewhere; never too early
     * @param provenNanos the same; never too late
     * @param hereNanos when it was last heard by this coordinator
     * @param usage of its disks, as it said last
     * @param faults buckets that it cannot use, as it said last
     * @param left whether it said that it leaves
     */
    private record Lease(
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
     * Grants a lease, by this coordinator's own knowledge; one that the same process held before ends.
     *
     * @param incarnation the process: drawn by it at its start
     * @return its epoch: different for every registration, also over restarts
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

    /** An epoch that was never given here, and is higher than {@code after}. */
    synchronized long nextEpoch(long after) {
        lastEpoch = Math.max(Math.max(lastEpoch, after) + 1, clock.millis());
        return lastEpoch;
    }

    /** Takes in what was granted: from now on the helper is alive. */
    synchronized void granted(HelperRegistration registration) {
        HelperId id = registration.address().id();
        contenders.remove(id);
        leases.put(id, heardNow(registration, Map.of(), Map.of(), false));
    }

    private Lease heardNow(
            HelperRegistration registration,
            Map<StoreId, DiskUsage> usage,
            Map<StoreId, StoreFault> faults,
            boolean left) {
        long now = ticker.nanos();
        return new Lease(registration, now, now, OptionalLong.of(now), usage, faults, left);
    }

    /**
     * Refuses a process while another one holds the lease of its id.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} as long as the other one may have died: ask again, until
     *     its lease ends; {@code ALREADY_EXISTS} when it was heard since {@code incarnation} asked first
     */
    synchronized void requireFree(HelperId id, long incarnation) throws CloudMwException {
        Lease lease = leases.get(id);
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
     * The same, for who is known to have registered, be it elsewhere: as long as no coordinator has told of it, it may be
     * alive, until a lease's life has passed.
     *
     * @param noted another process than {@code incarnation}
     */
    synchronized void requireFree(HelperId id, long incarnation, HelperRegistration noted) throws CloudMwException {
        Lease lease = leases.get(id);
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
    synchronized void heartbeat(HelperId id, long epoch, HelperNews news) throws CloudMwException {
        if (!heard(id, epoch, news)) {
            throw unknown(id, epoch);
        }
    }

    /** Renews a lease that is kept here; false when there is none with this epoch. */
    synchronized boolean heard(HelperId id, long epoch, HelperNews news) {
        Lease lease = leases.get(id);
        if (lease == null || lease.epoch() != epoch || !alive(lease) || !isHere(lease)) {
            return false;
        }
        heard(lease.registration(), news);
        return true;
    }

    /** Takes in, or renews, the lease of a helper that is known to have it. Without room it is taken for away. */
    synchronized void heard(HelperRegistration registration, HelperNews news) {
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
        Lease lease = leases.get(id);
        if (lease == null || lease.epoch() != epoch || !alive(lease)) {
            throw unknown(id, epoch);
        }
        left(lease.registration());
    }

    /** Takes in that a helper left. */
    synchronized void left(HelperRegistration registration) {
        HelperId id = registration.address().id();
        if (hasRoom(id)) {
            Lease lease = leases.get(id);
            leases.put(id, heardNow(registration, lease == null ? Map.of() : lease.usage(), Map.of(), true));
        }
    }

    static CloudMwException unknown(HelperId id, long epoch) {
        return new CloudMwException(
                ErrorCode.HELPER_UNKNOWN, "helper " + id + " has no lease with epoch " + epoch + ": register again");
    }

    /** The helpers this coordinator itself heard within a lease's life, those that left included. */
    synchronized List<HelperSighting> sightings() {
        List<HelperSighting> here = new ArrayList<>();
        for (Lease lease : leases.values()) {
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
     * Takes in what another coordinator told.
     *
     * @param earliestNanos the helper was surely not heard before this
     * @param latestNanos nor after this
     */
    synchronized void told(HelperSighting sighting, long earliestNanos, long latestNanos) {
        HelperRegistration registration = sighting.registration();
        HelperId id = registration.address().id();
        Map<StoreId, DiskUsage> usage = usage(registration, sighting.disks());
        Lease known = leases.get(id);
        if (known == null || known.epoch() < registration.epoch()) {
            if (hasRoom(id)) {
                contenders.remove(id);
                leases.put(
                        id,
                        new Lease(
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
                    new Lease(
                            registration,
                            newer ? latestNanos : known.heardNanos(),
                            earliestNanos - known.provenNanos() > 0 ? earliestNanos : known.provenNanos(),
                            known.hereNanos(),
                            newer ? usage : known.usage(),
                            newer ? sighting.faults() : known.faults(),
                            known.left() || sighting.left()));
        }
    }

    /** All helpers heard of, by id. */
    public synchronized List<HelperStatus> all() {
        long now = ticker.nanos();
        List<HelperStatus> all = new ArrayList<>();
        for (Lease lease : leases.values()) {
            long age = Math.max(0, TimeUnit.NANOSECONDS.toMillis(now - lease.heardNanos()));
            all.add(new HelperStatus(lease.address(), lease.disks(), alive(lease), age));
        }
        return all;
    }

    /** Helpers whose lease holds, by id. */
    public synchronized List<HelperAddress> live() {
        return leases.values().stream().filter(this::alive).map(Lease::address).toList();
    }

    public synchronized boolean isAlive(HelperId id) {
        Lease lease = leases.get(id);
        return lease != null && alive(lease);
    }

    /** Whether a disk is there: its owner's lease holds, and the owner named it when it registered. */
    public synchronized boolean isAttached(HelperId owner, StoreId disk) {
        Lease lease = leases.get(owner);
        return lease != null && alive(lease) && lease.disks().contains(disk);
    }

    /** Why helpers that are alive cannot use a bucket; those that can are left out. */
    public synchronized Map<HelperId, StoreFault> faults(StoreId store) {
        Map<HelperId, StoreFault> faults = new TreeMap<>();
        for (Lease lease : leases.values()) {
            StoreFault fault = lease.faults().get(store);
            if (fault != null && alive(lease)) {
                faults.put(lease.address().id(), fault);
            }
        }
        return faults;
    }

    /** Buckets that have a fault of this kind at a helper that is alive. */
    synchronized Set<StoreId> faulty(Predicate<StoreFault> kind) {
        Set<StoreId> faulty = new TreeSet<>();
        for (Lease lease : leases.values()) {
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

    /** Returns whether a helper can use a bucket, as far as it has said. */
    synchronized boolean canUse(HelperId id, StoreId store) {
        Lease lease = leases.get(id);
        return lease == null || !lease.faults().containsKey(store);
    }

    /** Takes in what a helper that has just registered said of buckets. */
    public synchronized void told(HelperId id, Map<StoreId, StoreFault> faults) {
        Lease lease = leases.get(id);
        if (lease != null && alive(lease)) {
            leases.put(id, heardNow(lease.registration(), lease.usage(), faults, false));
        }
    }

    /** Where a helper was last heard, alive or not. */
    synchronized Optional<HelperAddress> address(HelperId id) {
        return Optional.ofNullable(leases.get(id)).map(Lease::address);
    }

    /** Free bytes of a disk as its owner last said; empty when it has not said yet. */
    public OptionalLong freeBytes(HelperId owner, StoreId disk) {
        return usage(owner, disk)
                .map(usage -> OptionalLong.of(usage.freeBytes()))
                .orElse(OptionalLong.empty());
    }

    /** How full a disk is, as its owner last said; empty when it has not said yet. */
    synchronized Optional<DiskUsage> usage(HelperId owner, StoreId disk) {
        Lease lease = leases.get(owner);
        return lease == null
                ? Optional.empty()
                : Optional.ofNullable(lease.usage().get(disk));
    }

    /**
     * Whether {@code id} may just not have come back yet after a restart of the coordinator: nothing was heard of it,
     * and a lease's life has not passed since the start.
     */
    public synchronized boolean mayReturn(HelperId id) {
        Lease lease = leases.get(id);
        return isStarting() && (lease == null || (!lease.left() && !alive(lease)));
    }

    /** Whether less than a lease's life has passed since the start, or since this process went on after a long stop. */
    public synchronized boolean isStarting() {
        return isOutdated() || ticker.nanos() - startedNanos < ttlNanos;
    }

    /** Takes note that the other coordinators were just listened to. After a long time without it is as after a start. */
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

    private boolean isHere(Lease lease) {
        return lease.hereNanos().isPresent()
                && ticker.nanos() - lease.hereNanos().getAsLong() < ttlNanos;
    }

    private boolean alive(Lease lease) {
        return !lease.left() && ticker.nanos() - lease.heardNanos() < ttlNanos;
    }
}
