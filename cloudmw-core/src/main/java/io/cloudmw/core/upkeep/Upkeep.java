package io.cloudmw.core.upkeep;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.task.Handout;
import io.cloudmw.core.upkeep.task.StoreCondition;
import io.cloudmw.core.upkeep.task.Task;
import io.cloudmw.core.upkeep.task.TaskResult;
import io.cloudmw.core.upkeep.task.UpkeepStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what is stored as it ought to be: decides what is to be done, gives it to helpers that ask, and records what they
 * did. Of several coordinators the one that has the lease does this; its helpers are those that ask it. {@link #tick} is called
 * by one thread, the rest by any; calls block on the catalog.
 */
public final class Upkeep {
    /** A helper reports no more results in one call. */
    public static final int MAX_RESULTS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    /** One tick works no longer, so that helpers and the clock are heard. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Tasks are numbered from the time of the start on, in units of so small a part of a millisecond. */
    private static final int NUMBER_BITS = 20;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    /** When its holder died, upkeep goes on elsewhere after this. */
    private static final Duration TERM = Duration.ofSeconds(30);

    private final Catalog catalog;
    private final Fleet fleet;
    private final TransferTokens tokens;
    private final Ticker ticker;
    private final WallClock clock;
    private final UpkeepOptions options;
    private final Duration tokenTtl;
    private final Duration pause;
    private final Tenure tenure;
    private final StoreWatch watch;
    private volatile Map<StoreId, StoreCondition> stores = Map.of();
    private volatile Optional<Term> term = Optional.empty();

    /** What is under way under one lease. */
    private record Term(long epoch, WorkQueue queue, Repair repair) {}

    /**
     * Does nothing before the first {@link #tick}.
     *
     * @param name this coordinator's among those that share the catalog
     * @param tokenTtl how long a helper may read and write with what it is given
     */
    public Upkeep(
            String name,
            Catalog catalog,
            Fleet fleet,
            TransferTokens tokens,
            Duration tokenTtl,
            UpkeepOptions options,
            Ticker ticker,
            WallClock clock) {
        this.catalog = catalog;
        this.fleet = fleet;
        this.tokens = tokens;
        this.tokenTtl = tokenTtl;
        this.options = options;
        this.ticker = ticker;
        this.clock = clock;
        Duration half = options.interval().dividedBy(2);
        this.pause = half.compareTo(LONGEST_PAUSE) < 0 ? half : LONGEST_PAUSE;
        this.tenure = new Tenure(catalog.leases(), name, TERM, clock);
        this.watch = new StoreWatch(fleet, ticker, options.repairAfter());
    }

    /** How often {@link #tick} is to be called. */
    public Duration pause() {
        return pause;
    }

    /** Goes on with what there is to do, for a bounded time. */
    public void tick() throws CloudMwException {
        long began = ticker.nanos();
        Map<StoreId, StoreCondition> seen = watch.look();
        stores = seen;
        tenure.keep();
        Optional<Term> now = current();
        term = now;
        if (now.isEmpty()) {
            return;
        }
        Repair repair = now.get().repair();
        repair.failed(now.get().queue().expire(fleet::isAlive));
        repair.look(seen);
        boolean more = true;
        while (more && ticker.nanos() - began < TICK_NANOS) {
            more = repair.step();
        }
    }

    /** The same as long as the lease is. */
    private Optional<Term> current() {
        Optional<Lease> lease = tenure.lease();
        return lease.map(
                held -> term.filter(before -> before.epoch() == held.epoch()).orElseGet(() -> begin(held)));
    }

    private Term begin(Lease lease) {
        WorkQueue queue = new WorkQueue(ticker, options.taskLife().toNanos(), clock.millis() << NUMBER_BITS);
        return new Term(lease.epoch(), queue, new Repair(catalog, lease, queue, options, ticker, clock));
    }

    /**
     * Takes a helper's results and gives it more to do.
     *
     * @param room for so many tasks
     * @throws CloudMwException {@code HELPER_UNKNOWN} when it has no lease; {@code INVALID_ARGUMENT}; what the catalog fails
     *     with: the results are to be reported again
     */
    public Handout work(HelperId helper, List<TaskResult> results, int room) throws CloudMwException {
        if (results.size() > MAX_RESULTS || room < 0) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "results: " + results.size() + ", room: " + room + " (expected: <= " + MAX_RESULTS + ", >= 0)");
        }
        if (!fleet.isAlive(helper)) {
            throw new CloudMwException(ErrorCode.HELPER_UNKNOWN, "helper " + helper + " has no lease");
        }
        Optional<Term> now = term;
        if (now.isEmpty()) {
            return new Handout(List.of(), List.of(), pause, true);
        }
        for (TaskResult result : results) {
            take(now.get(), helper, result);
        }
        List<Handout.Assignment> assignments = new ArrayList<>();
        Map<HelperId, HelperAddress> owners = new LinkedHashMap<>();
        for (WorkQueue.Given given : now.get().queue().take(helper, room)) {
            assignments.add(assignment(given));
            addOwners(given.task(), owners);
        }
        return new Handout(assignments, List.copyOf(owners.values()), pause, false);
    }

    private Handout.Assignment assignment(WorkQueue.Given given) {
        Task task = given.task();
        return new Handout.Assignment(
                given.number(),
                task,
                Duration.ofNanos(given.lifeNanos()),
                tokens.issue(new TransferClaims(
                        Set.of(TransferRight.READ, TransferRight.WRITE),
                        task.file(),
                        task.chunk().id().version(),
                        clock.millis() + tokenTtl.toMillis())));
    }

    private void addOwners(Task task, Map<HelperId, HelperAddress> owners) {
        for (Store store : task.stores()) {
            for (HelperAddress helper : fleet.live()) {
                if (store.owner().equals(Optional.of(helper.id()))) {
                    owners.put(helper.id(), helper);
                }
            }
        }
    }

    private void take(Term now, HelperId helper, TaskResult result) throws CloudMwException {
        Optional<Task> task = now.queue().find(helper, result.task());
        if (task.isEmpty()) {
            return;
        }
        List<ReplicaReport> faults = result.faults().stream()
                .filter(fault -> fault.chunk().equals(task.get().chunk().id()))
                .toList();
        if (!faults.isEmpty()) {
            catalog.report(faults, clock.millis());
        }
        if (result.failure().isPresent()) {
            LOG.info("upkeep: helper {} failed at {}: {}", helper, task.get().copy(), result.message());
            now.repair().failed(1);
            if (!now.queue().failed(result.task())) {
                LOG.warn("upkeep: {} was tried often enough for now", task.get().copy());
            }
            return;
        }
        if (task.get() instanceof Task.Copy copy) {
            now.repair().copied(copy, result.bytes(), stores);
        }
        now.queue().done(result.task());
    }

    /**
     * How things are now.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} when another coordinator does upkeep, or nobody yet
     */
    public UpkeepStatus status() throws CloudMwException {
        Term now = term.orElseThrow(() -> new CloudMwException(
                ErrorCode.COORDINATOR_UNAVAILABLE, "upkeep: not begun yet, or another coordinator does it"));
        return new UpkeepStatus(
                List.copyOf(stores.values()),
                fleet.live(),
                now.repair().progress(),
                now.queue().waiting(),
                now.queue().given());
    }
}
