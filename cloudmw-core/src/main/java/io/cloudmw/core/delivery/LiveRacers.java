package io.cloudmw.core.delivery;

import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The racers that the destination can still use, when each was heard, and the queue of blocks each was issued. */
final class LiveRacers {
    private final LaneLayout lanes;
    private final ModePolicy mode;
    private final BlockOwners owners;
    private final int directLanes;
    private final Set<Integer> helpers = new TreeSet<>();
    private List<RacerId> workers;
    private final NavigableSet<RacerId> locals = new TreeSet<>();
    /** Stores that the client cannot read by itself. */
    private final Set<StoreId> unreadable = new HashSet<>();

    private final Map<Integer, Long> heardAtNanos = new HashMap<>();
    /** The time when the destination last came back from being away; null: it never was. */
    private @Nullable Long resumedAtNanos;
    /** The blocks each racer was issued and has not fetched, in the order of issue. */
    private final Map<RacerId, Deque<BlockProgress>> queues = new HashMap<>();
    /** The time when each racer last finished a block or was rid of it. */
    private final Map<RacerId, Long> freeSinceNanos = new HashMap<>();
    /** Helpers that say nothing of the blocks they were issued, and until when they are issued no more. */
    private final Map<Integer, Long> silentUntilNanos = new HashMap<>();

    private long nowNanos;
    private int working;
    private boolean localAsked;
    private boolean localReady;

    /** @param directLanes the client's own racers for planned blocks; 0: one for each replica */
    LiveRacers(ModePolicy mode, LaneLayout lanes, Set<RacerId> reachable, BlockOwners owners, int directLanes) {
        this.directLanes = directLanes;
        this.owners = owners;
        this.mode = mode;
        this.lanes = lanes;
        reachable.forEach(racer -> helpers.add(lanes.helper(racer)));
        this.workers = lineUp(helpers, lanes, mode);
    }

    /** Begins to take an event. */
    void begin(long now) {
        nowNanos = now;
        if (!silentUntilNanos.isEmpty()) {
            silentUntilNanos.values().removeIf(until -> now - until >= 0);
        }
    }

    // ---- membership

    boolean isLive(RacerId racer) {
        return lanes.isHelpers(racer) ? helpers.contains(lanes.helper(racer)) : locals.contains(racer);
    }

    boolean isHelper(RacerId racer) {
        return lanes.isHelpers(racer) && isLive(racer);
    }

    boolean hasHelpers() {
        return !helpers.isEmpty();
    }

    /** The rank of the racer's helper, or {@link SpeedEstimates#CLIENT}. */
    int helperOf(RacerId racer) {
        return lanes.isHelpers(racer) ? lanes.helper(racer) : SpeedEstimates.CLIENT;
    }

    /** Returns whether both racers are in the same process; the client's own racers count as one process each. */
    boolean isSameProcess(RacerId one, RacerId other) {
        return lanes.isHelpers(other) ? helperOf(one) == helperOf(other) : one.equals(other);
    }

    /** The racer that stands for all of its helper. */
    RacerId firstLane(RacerId racer) {
        return lanes.isHelpers(racer) ? lanes.racer(lanes.helper(racer), 0) : racer;
    }

    /** Removes a racer with all of its helper, for good; false when it was not live. */
    boolean remove(RacerId racer) {
        if (!isLive(racer)) {
            return false;
        }
        if (!lanes.isHelpers(racer)) {
            return locals.remove(racer);
        }
        int helper = lanes.helper(racer);
        heardAtNanos.remove(helper);
        silentUntilNanos.remove(helper);
        lanes.of(helper).forEach(this::dismiss);
        helpers.remove(helper);
        workers = lineUp(helpers, lanes, mode);
        return true;
    }

    /** True the first time: the client's own racers have to be asked for. */
    boolean askLocal() {
        boolean first = !localAsked;
        localAsked = true;
        return first;
    }

    boolean isLocalReady() {
        return localReady;
    }

    void localReady(Collection<RacerId> racers, Set<StoreId> unreadableStores) {
        if (localAsked && !localReady) {
            localReady = true;
            unreadable.addAll(unreadableStores);
            racers.stream().filter(racer -> !lanes.isHelpers(racer)).forEach(locals::add);
        }
    }

    /** Returns whether this helper, or {@link SpeedEstimates#CLIENT}, can read the store at all, as far as is known. */
    boolean mayRead(int helper, StoreId store) {
        return helper != SpeedEstimates.CLIENT || !unreadable.contains(store);
    }

    /** Returns whether the client's own racers have a route left to the chunk. */
    private boolean hasOwnRoute(ChunkRoutes chunk) {
        for (int replica : chunk.readable()) {
            if (!chunk.isSpent(SpeedEstimates.CLIENT, replica) && !unreadable.contains(chunk.store(replica))) {
                return true;
            }
        }
        return false;
    }

    // ---- signs of life

    /** Notes a sign of life. */
    void heard(RacerId racer) {
        if (isHelper(racer)) {
            heardAtNanos.put(lanes.helper(racer), nowNanos);
            silentUntilNanos.remove(lanes.helper(racer));
        }
    }

    /** Issues nothing more to the racer's helper until then, or until it is heard, as long as there is another. */
    void silent(RacerId racer, long untilNanos) {
        silentUntilNanos.put(helperOf(racer), untilNanos);
    }

    boolean isSilent(RacerId racer) {
        return silentUntilNanos.containsKey(helperOf(racer));
    }

    /** Returns whether some helper is not silent. */
    boolean hasHelperThatSpeaks() {
        return helpers.size() > silentUntilNanos.size();
    }

    /** The destination was away: no silence before this counts. */
    void resumed() {
        resumedAtNanos = nowNanos;
        silentUntilNanos.clear();
    }

    /** Returns whether the racer's helper was heard at all; the client's own racers never are. */
    boolean hasSpoken(RacerId racer) {
        return isHelper(racer) && heardAtNanos.containsKey(lanes.helper(racer));
    }

    /**
     * The time when the racer's helper was last heard, or the destination came back; {@code otherwise} if that is
     * later.
     */
    long heardAt(RacerId racer, long otherwise) {
        Long heard = lanes.isHelpers(racer) ? heardAtNanos.get(lanes.helper(racer)) : null;
        return later(heard, later(resumedAtNanos, otherwise));
    }

    private static long later(@Nullable Long one, long other) {
        return one == null || one - other < 0 ? other : one;
    }

    // ---- candidates for a race

    /**
     * The entrants of a race for the range: the helpers its plan names, else any other helpers, else the client's own
     * racers. There are never more than replicas that may be read, and never a racer that is spent on the chunk. Where
     * there are fewer helpers than such replicas, a helper with several lanes races for several of them.
     */
    List<Entrant> entrantsFor(WantedRange range) {
        ChunkRoutes chunk = range.chunk();
        int lane = (int) (range.sequence() % lanes.perHelper());
        List<Entrant> planned = new ArrayList<>();
        for (Entrant entrant : chunk.plan().entrants()) {
            RacerId racer = new RacerId(entrant.racer().rank() + lane * lanes.helpers());
            boolean mayRead = chunk.readable().contains(entrant.replica());
            if (mayRead && isLive(racer) && !chunk.isSpent(racer)) {
                planned.add(new Entrant(racer, entrant.replica()));
            }
        }
        if (!planned.isEmpty()) {
            return helpers.size() < chunk.readable().size() ? inMoreLanes(planned, chunk, lane) : planned;
        }
        List<RacerId> inLane =
                helpers.stream().map(helper -> lanes.racer(helper, lane)).toList();
        List<Entrant> others = inOrder(inLane, chunk);
        return others.isEmpty() ? inOrder(ownRacersFor(range), chunk) : others;
    }

    /** Gives the replicas without an entrant to other lanes of the same helpers, as far as they have any. */
    private List<Entrant> inMoreLanes(List<Entrant> planned, ChunkRoutes chunk, int lane) {
        List<Entrant> entrants = new ArrayList<>(planned);
        Deque<RacerId> free = new ArrayDeque<>();
        for (int further = 1; further < lanes.perHelper(); further++) {
            for (int helper : helpers) {
                free.add(lanes.racer(helper, (lane + further) % lanes.perHelper()));
            }
        }
        free.removeIf(chunk::isSpent);
        for (int replica : chunk.readable()) {
            if (!free.isEmpty() && planned.stream().noneMatch(entrant -> entrant.replica() == replica)) {
                entrants.add(new Entrant(free.remove(), replica));
            }
        }
        return entrants;
    }

    /** The client's own racers for a race: where there are enough for several races at once, those of this one first. */
    private List<RacerId> ownRacersFor(WantedRange range) {
        List<RacerId> own = new ArrayList<>(locals);
        int replicas = range.chunk().plan().replicas();
        int groups = Math.max(1, directLanes / replicas);
        Collections.rotate(own, -(int) (range.sequence() % groups) * replicas);
        return own;
    }

    private List<Entrant> inOrder(Collection<RacerId> racers, ChunkRoutes chunk) {
        boolean own = racers.stream().noneMatch(lanes::isHelpers);
        List<Integer> readable = chunk.readable().stream()
                .filter(replica -> !own || !unreadable.contains(chunk.store(replica)))
                .toList();
        List<Entrant> entrants = new ArrayList<>();
        for (RacerId racer : racers) {
            if (entrants.size() < readable.size() && !chunk.isSpent(racer)) {
                entrants.add(new Entrant(racer, readable.get(entrants.size())));
            }
        }
        return entrants;
    }

    // ---- candidates for a single attempt

    /** The helpers' racers for planned blocks: lane by lane, so that every helper has a block before any has two. */
    List<RacerId> workers() {
        return workers;
    }

    private static List<RacerId> lineUp(Set<Integer> helpers, LaneLayout lanes, ModePolicy mode) {
        List<RacerId> workers = new ArrayList<>();
        for (int lane = 0; lane < mode.lineup().lanes(); lane++) {
            for (int helper : helpers) {
                workers.add(lanes.racer(helper, lane));
            }
        }
        return List.copyOf(workers);
    }

    /** Returns whether the racer has a block, or one more racer may have one. */
    boolean mayWork(RacerId racer) {
        return load(racer) > 0 || working < mode.lineup().racers();
    }

    private boolean isWorker(RacerId racer) {
        return isHelper(racer) && lanes.lane(racer) < mode.lineup().lanes();
    }

    /** The client's own racers for planned blocks of a chunk that no helper brings. Those beyond are for extras. */
    List<RacerId> localWorkers(ChunkRoutes chunk) {
        return locals.stream()
                .limit(Math.max(directLanes, chunk.plan().replicas()))
                .toList();
    }

    /** The racers for planned blocks, those that are asked first at the front. */
    List<RacerId> planners(DirectUse use) {
        if (use == DirectUse.LAST_RESORT || locals.isEmpty()) {
            return workers;
        }
        List<RacerId> planners = new ArrayList<>();
        if (use == DirectUse.PROBING) {
            planners.add(locals.first());
        } else {
            locals.stream().limit(directLanes).forEach(planners::add);
        }
        planners.addAll(workers);
        return planners;
    }

    /** Returns whether the racer may be issued the range as a planned block. */
    boolean mayPlan(RacerId racer, WantedRange range, DirectUse use) {
        if (use != DirectUse.PREFERRED || !lanes.isHelpers(racer)) {
            return true;
        }
        return localReady && (locals.isEmpty() || !hasOwnRoute(range.chunk()));
    }

    /** The racers that take over blocks when they are idle. */
    List<RacerId> thieves(DirectUse use) {
        return use == DirectUse.PREFERRED && !locals.isEmpty()
                ? locals.stream().limit(directLanes).toList()
                : workers;
    }

    /** The ranks of the helpers. */
    Collection<Integer> helpers() {
        return helpers;
    }

    /**
     * The idle racers for an extra beside an attempt of {@code racer}: helpers that are not silent make up for helpers,
     * the client's own racers for each other. Where the client reads by choice, helpers make up for them, too.
     */
    List<RacerId> idleBeside(RacerId racer, DirectUse use) {
        List<RacerId> lastFirst = new ArrayList<>();
        if (!lanes.isHelpers(racer)) {
            lastFirst.addAll(locals.descendingSet());
        }
        if (lanes.isHelpers(racer) || use != DirectUse.LAST_RESORT) {
            lastFirst.addAll(helpersLastFirst());
        }
        return lastFirst.stream()
                .filter(other -> load(other) == 0 && !isSilent(other))
                .toList();
    }

    /** Like {@link #idleBeside}, at other helpers only. */
    List<RacerId> idleElsewhere(RacerId racer) {
        int helper = helperOf(racer);
        return idleBeside(racer, DirectUse.LAST_RESORT).stream()
                .filter(other -> helperOf(other) != helper)
                .toList();
    }

    private List<RacerId> helpersLastFirst() {
        List<RacerId> racers = new ArrayList<>();
        for (int lane = lanes.perHelper() - 1; lane >= 0; lane--) {
            for (int helper : helpers) {
                racers.add(lanes.racer(helper, lane));
            }
        }
        return racers;
    }

    /** Returns whether helpers own blocks. */
    boolean hasOwners() {
        return owners != BlockOwners.NONE;
    }

    /**
     * Returns whether the helper may be asked for the range. Where helpers own it, only the first owner that is left
     * and has a route may be asked; any helper when there is no such owner.
     */
    boolean mayBring(int helper, WantedRange range) {
        if (helper == SpeedEstimates.CLIENT) {
            return true;
        }
        for (int owner : range.owners(owners)) {
            if (helpers.contains(owner) && range.chunk().hasRoute(owner)) {
                return owner == helper;
            }
        }
        return true;
    }

    // ---- queues

    /** The number of blocks the racer was issued and has not fetched. */
    int load(RacerId racer) {
        Deque<BlockProgress> queue = queues.get(racer);
        return queue == null ? 0 : queue.size();
    }

    /** The block that the racer fetches, or the first it was issued of those it has not fetched. */
    @Nullable
    BlockProgress head(RacerId racer) {
        Deque<BlockProgress> queue = queues.get(racer);
        return queue == null ? null : queue.peek();
    }

    /** Returns whether the block is the racer's next to start, and the racer fetches no other. */
    boolean isNext(RacerId racer, BlockProgress block) {
        Deque<BlockProgress> queue = queues.get(racer);
        if (queue == null || queue.peek() != block) {
            return false;
        }
        for (BlockProgress other : queue) {
            if (racer.equals(other.attempt().runner())) {
                return false;
            }
        }
        return true;
    }

    /** The blocks that wait at the racer's helper behind others, and that no other helper may start first. */
    List<BlockProgress> waitingAt(RacerId racer) {
        List<BlockProgress> waiting = new ArrayList<>();
        for (RacerId lane : lanes.of(lanes.helper(racer))) {
            queues.getOrDefault(lane, new ArrayDeque<>()).stream()
                    .skip(1)
                    .filter(block -> block.holder().racer().equals(lane))
                    .forEach(waiting::add);
        }
        return waiting;
    }

    /** The time when the racer last finished a block or was rid of it; {@code otherwise} if that is later. */
    long freeSince(RacerId racer, long otherwise) {
        return later(freeSinceNanos.get(racer), otherwise);
    }

    void queued(BlockProgress block) {
        block.block().entrants().forEach(entrant -> queue(entrant.racer()).add(block));
    }

    /** Puts the block at the head of the racer's queue again, because the racer fetches it after all. */
    void queuedAgain(BlockProgress block, RacerId racer) {
        Deque<BlockProgress> queue = queue(racer);
        if (!queue.contains(block)) {
            queue.addFirst(block);
        }
    }

    /** The queue of a racer that is about to have a block in it. */
    private Deque<BlockProgress> queue(RacerId racer) {
        if (load(racer) == 0 && isWorker(racer)) {
            working++;
        }
        return queues.computeIfAbsent(racer, unused -> new ArrayDeque<>());
    }

    /** Takes the block from the queue of one racer. */
    void unqueued(BlockProgress block, RacerId racer) {
        Deque<BlockProgress> queue = queues.get(racer);
        if (queue != null) {
            if (queue.peek() == block) {
                freed(racer);
            }
            queue.remove(block);
            if (queue.isEmpty()) {
                dismiss(racer);
            }
        }
    }

    /** Takes the block from the queues of all its entrants. */
    void unqueued(BlockProgress block) {
        block.block().entrants().forEach(entrant -> unqueued(block, entrant.racer()));
    }

    /** Notes that the racer finished a block or was rid of it: the time for its next one begins now. */
    void freed(RacerId racer) {
        freeSinceNanos.put(racer, nowNanos);
    }

    /** Notes that the racer's queue is empty. */
    private void dismiss(RacerId racer) {
        if (queues.remove(racer) != null && isWorker(racer)) {
            working--;
        }
    }
}
