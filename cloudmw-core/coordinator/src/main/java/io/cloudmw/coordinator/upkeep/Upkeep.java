package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.DrainOrder;
import io.cloudmw.core.upkeep.Handout;
import io.cloudmw.core.upkeep.RoundProgress;
import io.cloudmw.core.upkeep.RoundScope;
import io.cloudmw.core.upkeep.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.core.upkeep.UpkeepStatus;
import io.cloudmw.core.upkeep.collect.OrderedRound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
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
    private final Drains drains;
    private volatile Map<StoreId, StoreCondition> stores = Map.of();
    private volatile Optional<Term> term = Optional.empty();

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
        this.drains = new Drains(catalog, clock);
        this.tenure = new Tenure(catalog.leases(), name, TERM, clock);
        this.watch = new StoreWatch(fleet, drains, ticker, options.repairAfter());
    }

    /** How often {@link #tick} is to be called. */
    public Duration pause() {
        return pause;
    }

    /** Goes on with what there is to do, for a bounded time. */
    public void tick() throws CloudMwException {
        tenure.keep();
        Optional<Term> now = current();
        if (now.isPresent() && !now.equals(term)) {
            under(now.get(), () -> watch.resume(now.get().begin()));
        }
        Map<StoreId, StoreCondition> seen = watch.look();
        stores = seen;
        term = now;
        if (now.isPresent()) {
            under(now.get(), () -> now.get().tick(seen, fleet));
        }
    }

    /** The same as long as the lease is. */
    private Optional<Term> current() {
        Optional<Lease> lease = tenure.lease();
        return lease.map(held -> term.filter(before -> before.epoch() == held.epoch())
                .orElseGet(() -> new Term(held, catalog, options, pause, graceMillis(), ticker, clock)));
    }

    /** No token that was issued before is good any more then, however different the clocks are that look at it. */
    private long graceMillis() {
        return tokenTtl.plus(options.clockSkew()).toMillis();
    }

    /** Something that is done under a lease. */
    private interface Work {
        void run() throws CloudMwException;
    }

    /**
     * Does it, unless the lease is another coordinator's: then this one asks for it anew.
     *
     * @return whether it still was this one's
     */
    private boolean under(Term now, Work work) throws CloudMwException {
        try {
            work.run();
            return true;
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.LEASE_LOST) {
                throw e;
            }
            LOG.info("upkeep: {}", e.getMessage());
            tenure.lost(now.epoch());
            return false;
        }
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
        List<WorkQueue.Given> given = new ArrayList<>();
        boolean here = now.isPresent()
                && under(now.get(), () -> {
                    take(now.get(), helper, results);
                    given.addAll(now.get().give(helper, room, task -> fleet.canDo(helper, task)));
                });
        if (!here) {
            return new Handout(List.of(), List.of(), List.of(), pause, true);
        }
        List<Handout.Assignment> assignments = new ArrayList<>();
        Map<HelperId, HelperAddress> owners = new LinkedHashMap<>();
        for (WorkQueue.Given one : given) {
            assignments.add(assignment(one));
            if (one.task() instanceof Task.OfCopy copy) {
                addOwners(copy, owners);
            }
        }
        return new Handout(assignments, List.of(), List.copyOf(owners.values()), pause, false);
    }

    private static void take(Term now, HelperId helper, List<TaskResult> results) throws CloudMwException {
        for (TaskResult result : results) {
            now.take(helper, result);
        }
    }

    private Handout.Assignment assignment(WorkQueue.Given given) {
        Task task = given.task();
        return new Handout.Assignment(
                given.number(),
                task,
                Duration.ofNanos(given.lifeNanos()),
                task instanceof Task.OfCopy copy ? Optional.of(token(copy)) : Optional.empty());
    }

    private TransferToken token(Task.OfCopy task) {
        return tokens.issue(new TransferClaims(
                task.rights(), task.file(), task.chunk().id().version(), clock.millis() + tokenTtl.toMillis()));
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
     * Begins to drain stores, or ends that: they get no new chunks, and what they have is copied elsewhere before it is dropped.
     * How far that is {@link #status} says. It lasts until it is ended.
     *
     * @return the stores it is about
     * @throws CloudMwException {@code NOT_FOUND}; {@code NOT_ENOUGH_STORES}; {@code COORDINATOR_UNAVAILABLE} as {@link #status}
     */
    public List<StoreId> drain(DrainOrder order) throws CloudMwException {
        Term now = here();
        List<StoreId> stores = new ArrayList<>();
        if (!under(now, () -> stores.addAll(drains.order(now.lease(), order)))) {
            throw isElsewhere();
        }
        return stores;
    }

    /**
     * Begins a round of garbage collection as soon as none is under way. The same order again is for the same round.
     *
     * @param order chosen by the client, and never used twice
     * @param dry nothing is to be marked or deleted, unless somebody else has asked for that
     * @return the number of the round: it is over when so many have ended
     * @throws CloudMwException {@code CANCELLED} when the order was ended before it came; {@code OVERLOADED};
     *     {@code COORDINATOR_UNAVAILABLE} as {@link #status}
     */
    public long collect(UUID order, boolean dry) throws CloudMwException {
        return here().collector().order(order, dry);
    }

    /**
     * How far the round is that was ordered.
     *
     * @throws CloudMwException {@code NOT_FOUND} when the order is not known; {@code COORDINATOR_UNAVAILABLE} as
     *     {@link #status}
     */
    public OrderedRound collection(UUID order) throws CloudMwException {
        return here().collector().find(order);
    }

    /**
     * Withdraws an order of a round of garbage collection. A round that nobody else has ordered ends before it is done: it lists
     * nothing more, and orders no more deletions. The same again changes nothing.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} as {@link #status}
     */
    public void endCollection(UUID order) throws CloudMwException {
        here().collector().end(order);
    }

    /**
     * Begins a round of scrub or repair, one at a time.
     *
     * @param attended whether it ends when {@link #round} is not called for half a minute
     * @return its number
     * @throws CloudMwException {@code ALREADY_EXISTS} when one is under way; {@code VOLUME_NOT_FOUND} and {@code NOT_FOUND};
     *     {@code COORDINATOR_UNAVAILABLE} as {@link #status}
     */
    public long beginRound(RoundProgress.Kind kind, RoundScope scope, boolean attended) throws CloudMwException {
        Term now = here();
        if (scope.volume().isPresent() && catalog.volume(scope.volume().get()).isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.VOLUME_NOT_FOUND, "volume " + scope.volume().get() + ": not found");
        }
        if (scope.store().isPresent()
                && catalog.stores().stream()
                        .noneMatch(store -> store.id().equals(scope.store().get()))) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND, "store " + scope.store().get() + ": not found");
        }
        return now.rounds().begin(kind, scope, attended);
    }

    /**
     * How far a round is.
     *
     * @throws CloudMwException {@code NOT_FOUND} when it is not known; {@code COORDINATOR_UNAVAILABLE} as {@link #status}
     */
    public RoundProgress round(long number) throws CloudMwException {
        return here().rounds().progress(number);
    }

    /** Ends a round before it is done; fails as {@link #round}. */
    public RoundProgress endRound(long number) throws CloudMwException {
        return here().rounds().end(number);
    }

    private Term here() throws CloudMwException {
        Optional<Term> now = term;
        if (now.isEmpty()) {
            throw isElsewhere();
        }
        return now.get();
    }

    /** Says who does upkeep, as far as the catalog knows. */
    private CloudMwException isElsewhere() throws CloudMwException {
        String who = "nobody does it yet";
        for (Lease lease : catalog.leases().all()) {
            if (lease.job().equals(Tenure.JOB)) {
                who = "coordinator " + lease.holder()
                        + (lease.untilMillis() > clock.millis() ? " does it" : " did it last, and nobody does now");
            }
        }
        return new CloudMwException(ErrorCode.COORDINATOR_UNAVAILABLE, "upkeep: not done here, " + who);
    }

    /**
     * How things are now.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} when another coordinator does upkeep, which is named, or nobody
     *     yet
     */
    public UpkeepStatus status() throws CloudMwException {
        return status(here());
    }

    /** The same without a call of the catalog; empty when it is not done here. */
    public Optional<UpkeepStatus> progress() {
        return term.map(this::status);
    }

    private UpkeepStatus status(Term now) {
        return new UpkeepStatus(
                List.copyOf(stores.values()),
                fleet.live(),
                now.repairing(),
                now.reshaping().progress(),
                now.scrub().progress(),
                now.collector().progress(),
                now.rounds().latest(),
                now.queue().waiting(),
                now.queue().given());
    }
}
