package io.cloudmw.client.read;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.read.direct.DirectRace;
import io.cloudmw.client.read.direct.DirectStores;
import io.cloudmw.client.read.racer.CachedBlockRequests;
import io.cloudmw.client.read.racer.HelperListener;
import io.cloudmw.client.read.racer.RacerEvents;
import io.cloudmw.client.read.racer.SmallReadRequest;
import io.cloudmw.client.rpc.link.RenewedLease;
import io.cloudmw.client.rpc.link.TransferCall;
import io.cloudmw.client.rpc.link.TransferSetup;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.schedule.LocalDeadline;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.trace.TraceParent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The racers of one get: the plan's helpers by rank, and, on demand, in-process racers, a few more than there are
 * replicas. Confined to the transfer.
 */
final class Racers {
    /** The way by which blocks are asked of helpers that are no switches. */
    enum Carrier {
        /** By a transfer at each helper, with all that a race needs. */
        TRANSFER,
        /** A block by one request of the bulk plane, and extra attempts by a transfer. */
        REQUEST
    }

    /** The time for a helper to receive a message that is sent at the very end. */
    private static final long LAST_MESSAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientContext context;
    private final SerialExecutor serial;
    private final ReadPlan plan;
    private final TransferSetup setup;
    private final LocalDeadline due;
    private final int planned;
    private final Carrier carrier;
    private final RacerEvents events;
    private final Map<RacerId, TransferCall> helpers = new HashMap<>();
    /** The requests to switches, by the switch's first racer. */
    private final Map<RacerId, CachedBlockRequests> switchRequests = new HashMap<>();

    /** The requests for blocks that no transfer carries, by block. */
    private final Map<BlockId, SmallReadRequest> blockRequests = new HashMap<>();

    private final Set<RacerId> abandoned = new HashSet<>();
    private @Nullable DirectRace local;
    private boolean finished;

    /** @param planned blocks in flight from each helper, besides extra attempts */
    Racers(
            ClientContext context,
            SerialExecutor serial,
            ReadPlan plan,
            TransferSetup setup,
            int planned,
            Carrier carrier,
            RacerEvents events) {
        this.context = context;
        this.serial = serial;
        this.plan = plan;
        this.setup = setup;
        this.due = new LocalDeadline(setup.urgency(), context.ticker());
        this.planned = planned;
        this.carrier = carrier;
        this.events = events;
    }

    /** Every helper of the plan; one that cannot be reached is reported gone later. */
    Set<RacerId> ranks() {
        Set<RacerId> ranks = new TreeSet<>();
        for (int rank = 0; rank < plan.helpers().size(); rank++) {
            ranks.add(new RacerId(rank));
        }
        return ranks;
    }

    String name(RacerId racer) {
        return setup.lanes().isHelpers(racer)
                ? plan.helpers().get(setup.lanes().helper(racer)).id().value()
                : Attempt.LOCAL;
    }

    /** The racer's name in a trace, which differs from that of all others: lanes but the first have a number. */
    String laneName(RacerId racer) {
        int lane = setup.lanes().isHelpers(racer)
                ? setup.lanes().lane(racer)
                : racer.rank() - setup.lanes().helpers() * setup.lanes().perHelper();
        return lane == 0 ? name(racer) : name(racer) + "#" + lane;
    }

    /** All racers of the helper that hosts this one; the racer itself when it is the client's own. */
    List<RacerId> withSameHost(RacerId racer) {
        LaneLayout lanes = setup.lanes();
        return lanes.isHelpers(racer) ? lanes.of(lanes.helper(racer)) : List.of(racer);
    }

    /** Returns whether this helper hosts the racer. Any thread. */
    boolean isOf(RacerId racer, HelperAddress helper) {
        return setup.lanes().isHelpers(racer)
                && plan.helpers().get(setup.lanes().helper(racer)).equals(helper);
    }

    /**
     * Begins the transfer at every helper, or, where helpers need not know each other, at each with its first block.
     */
    void begin() {
        if (!setup.solitary()) {
            ranks().forEach(this::begin);
        }
    }

    private TransferCall begin(RacerId racer) {
        return helpers.computeIfAbsent(racer, absent -> {
            HelperListener listener = new HelperListener(racer, name(racer), serial, events);
            return TransferCall.begin(context.links().get(), setup, racer.rank(), listener);
        });
    }

    /** @param spans the spans of a block's attempts by some of its racers */
    void issue(
            Block block,
            boolean extra,
            ManifestReader.Item item,
            BiFunction<BlockId, List<RacerId>, Optional<TraceParent>> spans) {
        Chunk chunk = item.chunk().chunk();
        IssuedBlock issued = new IssuedBlock(
                block,
                chunk.id(),
                chunk.range().length(),
                chunk.leafSizeBytes(),
                Leaves.slice(chunk.leaves().crc32c(), block.range(), chunk.leafSizeBytes()),
                chunk.replicas(),
                extra,
                item.chunk().token());
        for (RacerId host : hosts(block)) {
            if (!abandoned.contains(host)) {
                issue(host, issued.tracedAs(spans.apply(block.id(), withSameHost(host))));
            }
        }
        DirectRace race = local;
        if (race != null && isLocal(block)) {
            race.issue(block, item);
        }
    }

    private void issue(RacerId host, IssuedBlock issued) {
        if (host.rank() < plan.switches()) {
            switchRequests.computeIfAbsent(host, this::requestsAt).issue(issued);
        } else if (carrier == Carrier.REQUEST
                && !issued.extra()
                && plan.helpers().get(host.rank()).blockRequests()) {
            request(host, issued);
        } else {
            begin(host).issue(issued);
        }
    }

    private void request(RacerId host, IssuedBlock issued) {
        HelperAddress helper = plan.helpers().get(host.rank());
        SmallReadRequest request = new SmallReadRequest(
                serial,
                new SmallReadRequest.Target(
                        plan, helper, due.get(), context.links().get().lease(helper)),
                issued,
                events,
                block -> begin(host).issue(block));
        blockRequests.put(issued.block().id(), request);
        request.begin();
    }

    private CachedBlockRequests requestsAt(RacerId host) {
        return new CachedBlockRequests(
                serial,
                context.threads().timer(),
                new CachedBlockRequests.Target(
                        plan,
                        name(host),
                        due,
                        RenewedLease.of(context.links().get(), plan.helpers().get(host.rank()))),
                events,
                block -> begin(host).issue(block),
                planned);
    }

    void withdraw(Block block) {
        helpersOf(block, requests -> requests.forget(block.id())).forEach(helper -> helper.withdraw(block.id()));
        closeRequest(block.id());
        DirectRace race = local;
        if (race != null && isLocal(block)) {
            race.withdraw(block.id());
        }
    }

    /**
     * Asks the helper that sent damaged leaves of the block to check its replica; false when there is no such helper.
     */
    boolean doubt(RacerId racer, BlockId block) {
        RacerId host =
                setup.lanes().isHelpers(racer) ? new RacerId(setup.lanes().helper(racer)) : racer;
        CachedBlockRequests requests = switchRequests.get(host);
        boolean isIssued = !isRequested(block) && (requests == null || !requests.isArriving(block));
        TransferCall helper = isIssued ? helpers.get(host) : null;
        if (helper != null) {
            helper.doubt(block);
        }
        return helper != null;
    }

    /**
     * Returns whether a switch sent the block from its cache; nothing more of the block is requested from that switch.
     */
    boolean rejectCached(RacerId racer, BlockId block) {
        CachedBlockRequests requests = setup.lanes().isHelpers(racer)
                ? switchRequests.get(new RacerId(setup.lanes().helper(racer)))
                : null;
        return requests != null && requests.rejectCached(block);
    }

    /** Shortens the block at helpers. In-process attempts and switches still send all of it; the surplus is dropped. */
    void shorten(Block block, long length) {
        helpersOf(block, requests -> requests.isArriving(block.id()))
                .forEach(helper -> helper.shorten(block.id(), length));
    }

    void delivered(Block block) {
        helpersOf(block, requests -> requests.forget(block.id())).forEach(helper -> helper.delivered(block.id()));
        closeRequest(block.id());
        DirectRace race = local;
        if (race != null && isLocal(block)) {
            race.delivered(block.id());
        }
    }

    private void closeRequest(BlockId block) {
        SmallReadRequest request = blockRequests.remove(block);
        if (request != null) {
            request.close();
        }
    }

    /** Returns whether the block is requested, and not issued to a helper. */
    private boolean isRequested(BlockId block) {
        SmallReadRequest request = blockRequests.get(block);
        return request != null && request.isOpen();
    }

    /**
     * The helpers that were issued the block, without those that were only asked for it by a request of the bulk plane.
     */
    private List<TransferCall> helpersOf(Block block, Predicate<CachedBlockRequests> isCached) {
        if (isRequested(block.id())) {
            return List.of();
        }
        return hosts(block).stream()
                .filter(host -> !switchRequests.containsKey(host)
                        || !isCached.test(Objects.requireNonNull(switchRequests.get(host))))
                .map(helpers::get)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The first racers of the helpers that host the block's racers. */
    private Set<RacerId> hosts(Block block) {
        Set<RacerId> hosts = new LinkedHashSet<>();
        for (Entrant entrant : block.entrants()) {
            if (!isLocal(entrant)) {
                hosts.add(new RacerId(setup.lanes().helper(entrant.racer())));
            }
        }
        return hosts;
    }

    private boolean isLocal(Entrant entrant) {
        return !setup.lanes().isHelpers(entrant.racer());
    }

    private boolean isLocal(Block block) {
        return block.entrants().stream().anyMatch(this::isLocal);
    }

    /** Closes the call to this helper, and tells the others not to wait for it. */
    void abandon(RacerId racer, ErrorCode why) {
        TransferCall gone = helpers.remove(racer);
        CachedBlockRequests requests = switchRequests.remove(racer);
        if (requests != null) {
            requests.close();
        }
        List.copyOf(blockRequests.keySet()).stream()
                .filter(block ->
                        Objects.requireNonNull(blockRequests.get(block)).isTo(name(racer)))
                .forEach(this::closeRequest);
        if (abandoned.add(racer)) {
            if (gone != null) {
                gone.close();
            }
            helpers.values().forEach(helper -> helper.racerGone(racer));
        }
    }

    /**
     * Creates in-process racers, {@code spare} more than there are replicas; {@link RacerEvents#localRacersReady}
     * follows.
     *
     * @param byChoice whether helpers could read, too
     */
    void raceDirectly(int spare, boolean byChoice) {
        List<RacerId> ranks = new ArrayList<>();
        for (int i = 0; i < plan.replicas() + spare; i++) {
            ranks.add(new RacerId(plan.helpers().size() * setup.lanes().perHelper() + i));
        }
        DirectStores stores = new DirectStores(context, plan);
        local = new DirectRace(context, serial, ranks, stores, events);
        var unused = stores.unreadable(byChoice).thenAccept(reasons -> {
            List<RacerId> ready = reasons.size() < stores.size() ? ranks : List.of();
            serial.execute(() -> events.localRacersReady(ready, reasons));
        });
    }

    /**
     * Finishes the transfer at all helpers, which send their last reports. The number of extra
     * attempts goes to one helper.
     */
    void finish(HedgeCounts hedges) {
        finished = true;
        HedgeCounts untold = hedges;
        for (Iterator<TransferCall> all = helpers.values().iterator(); all.hasNext(); ) {
            if (all.next().finish(untold)) {
                untold = HedgeCounts.NONE;
            } else {
                all.remove();
            }
        }
    }

    /** The helper has sent its last report, after {@link #finish}. */
    void reportedLast(RacerId racer) {
        helpers.remove(racer);
    }

    /** Returns whether a racer may still report something. */
    boolean mayReport() {
        return !helpers.isEmpty() || local != null;
    }

    /**
     * Ends everything. Without a {@link #finish}, one helper is first told the number of extra attempts, and ends a
     * little later.
     */
    void close(HedgeCounts hedges) {
        HedgeCounts untold = finished ? HedgeCounts.NONE : hedges;
        for (TransferCall helper : helpers.values()) {
            if (!untold.equals(HedgeCounts.NONE) && helper.finish(untold)) {
                untold = HedgeCounts.NONE;
                closeLater(helper);
            } else {
                helper.close();
            }
        }
        switchRequests.values().forEach(CachedBlockRequests::close);
        switchRequests.clear();
        blockRequests.values().forEach(SmallReadRequest::close);
        blockRequests.clear();
        if (local != null) {
            local.close();
        }
    }

    private void closeLater(TransferCall helper) {
        if (Threads.later(context.threads().timer(), LAST_MESSAGE_NANOS, helper::close)
                .isEmpty()) {
            helper.close();
        }
    }
}
