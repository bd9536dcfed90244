package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.coordinator.upkeep.stores.AvailabilityLog;
import io.cloudmw.coordinator.upkeep.stores.DrainedStores;
import io.cloudmw.coordinator.upkeep.stores.StoreWatch;
import io.cloudmw.coordinator.upkeep.stores.UpkeepFleet;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.FixedLifeTokens;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.DrainOrder;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.RoundScope;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upkeep of stored data: decides what to do, gives tasks to helpers that ask, and records their results. The
 * coordinator that holds the upkeep lease does this for all helpers that ask it. {@link #tick} is called by one thread,
 * other methods by any; calls block on the catalog.
 */
public final class Upkeep {
    /** The most results that a helper reports in one call. */
    public static final int MAX_RESULTS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Catalog catalog;
    private final UpkeepFleet fleet;
    private final FixedLifeTokens tokens;
    private final Ticker ticker;
    private final WallClock clock;
    private final UpkeepOptions options;
    private final Duration pause;
    private final UpkeepLease ownership;
    private final StoreWatch watch;
    private final AvailabilityLog availability;
    private final DrainedStores drains;
    /** The orders to drain stores that {@link #stores} may not show yet: whether they begin it. */
    private final Map<StoreId, Boolean> ordered = new ConcurrentHashMap<>();

    private volatile Map<StoreId, StoreCondition> stores = Map.of();
    private volatile Optional<UpkeepTerm> term = Optional.empty();

    /**
     * Creates upkeep, which does nothing before the first {@link #tick}.
     *
     * @param name the name of this coordinator, unique among those of the catalog
     * @param tokens issues the tokens of tasks
     */
    public Upkeep(
            String name,
            Catalog catalog,
            UpkeepFleet fleet,
            FixedLifeTokens tokens,
            UpkeepOptions options,
            Ticker ticker,
            WallClock clock) {
        this.catalog = catalog;
        this.fleet = fleet;
        this.tokens = tokens;
        this.options = options;
        this.ticker = ticker;
        this.clock = clock;
        Duration half = options.interval().dividedBy(2);
        this.pause = half.compareTo(LONGEST_PAUSE) < 0 ? half : LONGEST_PAUSE;
        this.drains = new DrainedStores(catalog, clock);
        this.ownership = new UpkeepLease(catalog.leases(), name, options.leaseTerm(), clock);
        this.watch = new StoreWatch(fleet, drains, ticker, options.repairAfter());
        this.availability = new AvailabilityLog(fleet);
    }

    /** Returns the interval at which {@link #tick} is to be called. */
    public Duration pause() {
        return pause;
    }

    /** Continues the upkeep work for a bounded time. */
    public void tick() throws CloudMwException {
        ownership.keep();
        Optional<UpkeepTerm> now = current();
        if (now.isPresent() && !now.equals(term)) {
            under(now.get(), () -> watch.resume(now.get().begin()));
        }
        Map<StoreId, Boolean> taken = Map.copyOf(ordered);
        Map<StoreId, StoreCondition> seen = watch.look();
        stores = seen;
        taken.forEach(ordered::remove);
        availability.look(seen.values());
        term = now;
        if (now.isPresent()) {
            under(now.get(), () -> now.get().tick(seen, fleet));
        }
    }

    /** Ends the upkeep here, and lets another coordinator do it at once. Called after the last {@link #tick}. */
    public void close() throws CloudMwException {
        term = Optional.empty();
        ownership.release();
    }

    /** Returns the present term: the same one as long as the lease lasts. */
    private Optional<UpkeepTerm> current() {
        Optional<Lease> lease = ownership.lease();
        return lease.map(held -> term.filter(before -> before.epoch() == held.epoch())
                .orElseGet(() -> new UpkeepTerm(held, catalog, options, pause, graceMillis(), ticker, clock)));
    }

    /** Returns the age at which every token is invalid, even with skewed clocks. */
    private long graceMillis() {
        return tokens.life().plus(options.clockSkew()).toMillis();
    }

    /** A piece of work under a lease. */
    private interface Work {
        void run() throws CloudMwException;
    }

    /**
     * Does a piece of work. If the lease was lost, this coordinator asks for a new one.
     *
     * @return whether the lease was still held
     */
    private boolean under(UpkeepTerm now, Work work) throws CloudMwException {
        try {
            work.run();
            return true;
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.LEASE_LOST) {
                throw e;
            }
            LOG.info("upkeep: {}", e.getMessage());
            ownership.lost(now.epoch());
            return false;
        }
    }

    /**
     * Records a helper's results and gives it further tasks.
     *
     * @param room how many tasks the helper can take
     * @throws CloudMwException {@code HELPER_UNKNOWN} when the helper has no lease; {@code INVALID_ARGUMENT}; errors of
     *     the catalog, after which the helper reports the results again
     */
    public TaskBatch work(HelperId helper, List<TaskResult> results, int room) throws CloudMwException {
        if (results.size() > MAX_RESULTS || room < 0) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "results: " + results.size() + ", room: " + room + " (expected: <= " + MAX_RESULTS + ", >= 0)");
        }
        if (!fleet.isAlive(helper)) {
            throw new CloudMwException(ErrorCode.HELPER_UNKNOWN, "helper " + helper + " has no lease");
        }
        Optional<UpkeepTerm> now = term;
        List<TaskQueue.Assignment> assigned = new ArrayList<>();
        boolean here = now.isPresent()
                && under(now.get(), () -> {
                    take(now.get(), helper, results);
                    assigned.addAll(now.get().assign(helper, room, task -> fleet.canDo(helper, task)));
                });
        if (!here) {
            return new TaskBatch(List.of(), List.of(), List.of(), pause, true);
        }
        List<TaskBatch.Assignment> assignments = new ArrayList<>();
        Map<HelperId, HelperAddress> owners = new LinkedHashMap<>();
        for (TaskQueue.Assignment one : assigned) {
            assignments.add(assignment(one));
            if (one.task() instanceof Task.OfCopy copy) {
                addOwners(copy, owners);
            }
        }
        return new TaskBatch(assignments, List.of(), List.copyOf(owners.values()), pause, false);
    }

    private static void take(UpkeepTerm now, HelperId helper, List<TaskResult> results) throws CloudMwException {
        for (TaskResult result : results) {
            now.record(helper, result);
        }
    }

    private TaskBatch.Assignment assignment(TaskQueue.Assignment assigned) {
        Task task = assigned.task();
        return new TaskBatch.Assignment(
                assigned.number(),
                task,
                Duration.ofNanos(assigned.lifeNanos()),
                task instanceof Task.OfCopy copy ? Optional.of(token(copy)) : Optional.empty());
    }

    private TransferToken token(Task.OfCopy task) {
        return tokens.issue(task.rights(), task.file(), task.chunk().id().version());
    }

    private void addOwners(Task.OfCopy task, Map<HelperId, HelperAddress> owners) {
        for (Store store : task.stores()) {
            for (HelperAddress helper : fleet.live()) {
                if (store.owner().equals(Optional.of(helper.id()))) {
                    owners.put(helper.id(), helper);
                }
            }
        }
    }

    /**
     * Begins or ends draining stores. A drained store gets no new chunks, and its copies are copied elsewhere before
     * they are dropped. {@link #status} has the progress. Draining lasts until it is ended.
     *
     * @return the affected stores
     * @throws CloudMwException {@code NOT_FOUND}; {@code NOT_ENOUGH_STORES}; {@code COORDINATOR_UNAVAILABLE} as
     *     {@link #status}
     */
    public List<StoreId> drain(DrainOrder order) throws CloudMwException {
        UpkeepTerm now = here();
        List<StoreId> stores = new ArrayList<>();
        if (!under(now, () -> stores.addAll(drains.order(now.lease(), order)))) {
            throw isElsewhere();
        }
        stores.forEach(store -> ordered.put(store, order.begins()));
        return stores;
    }

    /**
     * Orders a round of garbage collection, which begins when none is under way. A repeated order is for the same
     * round.
     *
     * @param order the order's id, chosen by the client and never reused
     * @param dry whether the round marks and deletes nothing, unless another order wants that
     * @return the number of the round, which is over when as many rounds have ended
     * @throws CloudMwException {@code CANCELLED} when the order was withdrawn before it arrived; {@code OVERLOADED};
     *     {@code COORDINATOR_UNAVAILABLE} as {@link #status}
     */
    public long collect(UUID order, boolean dry) throws CloudMwException {
        return here().collector().order(order, dry);
    }

    /**
     * Returns the progress of an ordered round.
     *
     * @throws CloudMwException {@code NOT_FOUND} when the order is not known; {@code COORDINATOR_UNAVAILABLE} as
     *     {@link #status}
     */
    public OrderedRound collection(UUID order) throws CloudMwException {
        return here().collector().find(order);
    }

    /**
     * Withdraws an order of a round of garbage collection. A round without another order ends early: it lists nothing
     * more and orders no more deletions. A repeated call changes nothing.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} as {@link #status}
     */
    public void endCollection(UUID order) throws CloudMwException {
        here().collector().end(order);
    }

    /**
     * Begins a round of scrub or repair, one at a time.
     *
     * @param attended whether the round ends when {@link #round} is not called for half a minute
     * @return its number
     * @throws CloudMwException {@code ALREADY_EXISTS} when a round is under way; {@code VOLUME_NOT_FOUND} and
     *     {@code NOT_FOUND}; {@code COORDINATOR_UNAVAILABLE} as {@link #status}
     */
    public long beginRound(RoundProgress.Kind kind, RoundScope scope, boolean attended) throws CloudMwException {
        UpkeepTerm now = here();
        if (scope.volume().isPresent() && catalog.volume(scope.volume().get()).isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.VOLUME_NOT_FOUND, "volume " + scope.volume().get() + " not found");
        }
        if (scope.store().isPresent()
                && catalog.stores().stream()
                        .noneMatch(store -> store.id().equals(scope.store().get()))) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND, "store " + scope.store().get() + " not found");
        }
        return now.rounds().begin(kind, scope, attended);
    }

    /**
     * Returns the progress of a round.
     *
     * @throws CloudMwException {@code NOT_FOUND} when the round is not known; {@code COORDINATOR_UNAVAILABLE} as
     *     {@link #status}
     */
    public RoundProgress round(long number) throws CloudMwException {
        return here().rounds().progress(number);
    }

    /** Ends a round before it is done; fails as {@link #round}. */
    public RoundProgress endRound(long number) throws CloudMwException {
        return here().rounds().end(number);
    }

    private UpkeepTerm here() throws CloudMwException {
        Optional<UpkeepTerm> now = term;
        if (now.isEmpty()) {
            throw isElsewhere();
        }
        return now.get();
    }

    /** Returns the error that names the coordinator with upkeep, as far as the catalog knows. */
    private CloudMwException isElsewhere() throws CloudMwException {
        String who = "no coordinator does it yet";
        for (Lease lease : catalog.leases().all()) {
            if (lease.job().equals(UpkeepLease.JOB)) {
                who = "coordinator " + lease.holder()
                        + (lease.untilMillis() > clock.millis()
                                ? " does it"
                                : " did it last, and none does now (retry later)");
            }
        }
        return new CloudMwException(ErrorCode.COORDINATOR_UNAVAILABLE, "upkeep: not done here, " + who);
    }

    /**
     * Returns the present state of upkeep.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} when another coordinator does upkeep, which is named, or
     *     none yet
     */
    public UpkeepStatus status() throws CloudMwException {
        return status(here());
    }

    /** Returns the state of upkeep without a call of the catalog; empty when this coordinator does not do upkeep. */
    public Optional<UpkeepStatus> progress() {
        return term.map(this::status);
    }

    private UpkeepStatus status(UpkeepTerm now) {
        return new UpkeepStatus(
                stores.values().stream().map(this::asOrdered).toList(),
                fleet.live(),
                now.repairing(),
                now.reshaping().progress(),
                now.scrub().progress(),
                now.collector().progress(),
                now.rounds().latest(),
                now.queue().waiting(),
                now.queue().assigned());
    }

    private StoreCondition asOrdered(StoreCondition seen) {
        @Nullable Boolean begins = ordered.get(seen.id());
        return begins == null ? seen : seen.withDraining(begins);
    }
}
