package io.cloudmw.core.delivery;

import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Who is left to race, as the destination sees it, and what each racer has to do. */
final class LiveRacers {
    private final LaneLayout lanes;
    private final ModePolicy mode;
    private final BlockOwners homes;
    private final Set<Integer> helpers = new TreeSet<>();
    /** See {@link #workers()}. */
    private List<RacerId> workers;

    private final NavigableSet<RacerId> locals = new TreeSet<>();
    private final Map<Integer, Long> heardAtNanos = new HashMap<>();
    /** When the destination last came back from being away; null: it never was. */
    private @Nullable Long resumedAtNanos;
    /** What each racer was issued and has not fetched, in the order of issue. */
    private final Map<RacerId, Deque<BlockProgress>> queues = new HashMap<>();
    /** When each racer was last through with something, or rid of it. */
    private final Map<RacerId, Long> freeSinceNanos = new HashMap<>();
    /** Helpers that say nothing of what they were issued, and until when nothing more is issued to them. */
    private final Map<Integer, Long> silentUntilNanos = new HashMap<>();

    private long nowNanos;

    /** Racers for what is planned that have something to do. */
    private int working;

    private boolean localAsked;
    private boolean localReady;

    LiveRacers(ModePolicy mode, LaneLayout lanes, Set<RacerId> reachable, BlockOwners homes) {
        this.homes = homes;
        this.mode = mode;
        this.lanes = lanes;
        reachable.forEach(racer -> helpers.add(lanes.helper(racer)));
        this.workers = lineUp(helpers, lanes, mode);
    }

    /** It is later now. */
    void begin(long now) {
        nowNanos = now;
        if (!silentUntilNanos.isEmpty()) {
            silentUntilNanos.values().removeIf(until -> now - until >= 0);
        }
    }

    boolean isLive(RacerId racer) {
        return lanes.isHelpers(racer) ? helpers.contains(lanes.helper(racer)) : locals.contains(racer);
    }

    boolean isHelper(RacerId racer) {
        return lanes.isHelpers(racer) && isLive(racer);
    }

    /** Rank of the helper, or {@link SpeedEstimates#CLIENT}. */
    int helperOf(RacerId racer) {
        return lanes.isHelpers(racer) ? lanes.helper(racer) : SpeedEstimates.CLIENT;
    }

    /** The racer that stands for all of its helper. */
    RacerId firstLane(RacerId racer) {
        return lanes.isHelpers(racer) ? lanes.racer(lanes.helper(racer), 0) : racer;
    }

    /** Strikes a racer off with all of its helper, for good; false when it was not on. */
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

    /** Notes a sign of life. */
    void heard(RacerId racer, long nowNanos) {
        if (isHelper(racer)) {
            heardAtNanos.put(lanes.helper(racer), nowNanos);
            silentUntilNanos.remove(lanes.helper(racer));
        }
    }

    /** Nothing more is issued to the racer's helper until then, or until it is heard, as long as there is another. */
    void silent(RacerId racer, long untilNanos) {
        silentUntilNanos.put(helperOf(racer), untilNanos);
    }

    boolean isSilent(RacerId racer) {
        return silentUntilNanos.containsKey(helperOf(racer));
    }

    /** Whether there is a helper that is not. */
    boolean hasOthersThanSilent() {
        return helpers.size() > silentUntilNanos.size();
    }

    /** The destination was away: no silence before this counts, whoever was heard or not. */
    void resumed(long nowNanos) {
        resumedAtNanos = nowNanos;
        silentUntilNanos.clear();
    }

    /** Whether anything was heard of the helper; of the client's own racers nothing ever is. */
    boolean hasSpoken(RacerId racer) {
        return isHelper(racer) && heardAtNanos.containsKey(lanes.helper(racer));
    }

    /** When the racer's process was last heard, or the destination came back; {@code otherwise} if that is later, or neither was. */
    long heardAt(RacerId racer, long otherwise) {
        Long heard = lanes.isHelpers(racer) ? heardAtNanos.get(lanes.helper(racer)) : null;
        return later(heard, later(resumedAtNanos, otherwise));
    }

    private static long later(@Nullable Long one, long other) {
        return one == null || one - other < 0 ? other : one;
    }

    /** True the first time: the in-process racers have to be asked for. */
    boolean askLocal() {
        boolean first = !localAsked;
        localAsked = true;
        return first;
    }

    boolean isLocalReady() {
        return localReady;
    }

    void localReady(Collection<RacerId> racers) {
        if (localAsked && !localReady) {
            localReady = true;
            racers.stream().filter(racer -> !lanes.isHelpers(racer)).forEach(locals::add);
        }
    }

    // ---- races

    /**
     * Who may race for the piece: the helpers its plan names, else any other helper, else the in-process racers (the
     * i-th starts with the i-th replica that may be read); never more than there are of these, never one that was spent on
     * it. Where there are fewer helpers than such replicas, one that has several lanes races for several of them.
     */
    List<Entrant> racersFor(WantedRange piece) {
        int lane = (int) (piece.sequence % lanes.perHelper());
        List<Entrant> planned = new ArrayList<>();
        for (Entrant entrant : piece.chunk.plan.entrants()) {
            RacerId racer = new RacerId(entrant.racer().rank() + lane * lanes.helpers());
            boolean mayRead = piece.chunk.readable().contains(entrant.replica());
            if (mayRead && isLive(racer) && !piece.chunk.isSpent(racer)) {
                planned.add(new Entrant(racer, entrant.replica()));
            }
        }
        if (!planned.isEmpty()) {
            return helpers.size() < piece.chunk.readable().size() ? inMoreLanes(planned, piece, lane) : planned;
        }
        List<RacerId> inLane =
                helpers.stream().map(helper -> lanes.racer(helper, lane)).toList();
        List<Entrant> others = inOrder(inLane, piece.chunk);
        return others.isEmpty() ? inOrder(locals, piece.chunk) : others;
    }

    /** Gives the replicas nobody races for to the same helpers' other lanes, as far as they have any. */
    private List<Entrant> inMoreLanes(List<Entrant> planned, WantedRange piece, int lane) {
        List<Entrant> entrants = new ArrayList<>(planned);
        Deque<RacerId> free = new ArrayDeque<>();
        for (int further = 1; further < lanes.perHelper(); further++) {
            for (int helper : helpers) {
                free.add(lanes.racer(helper, (lane + further) % lanes.perHelper()));
            }
        }
        free.removeIf(piece.chunk::isSpent);
        for (int replica : piece.chunk.readable()) {
            if (!free.isEmpty() && planned.stream().noneMatch(entrant -> entrant.replica() == replica)) {
                entrants.add(new Entrant(free.remove(), replica));
            }
        }
        return entrants;
    }

    private static List<Entrant> inOrder(Collection<RacerId> racers, ChunkRoutes chunk) {
        List<Integer> readable = chunk.readable();
        List<Entrant> entrants = new ArrayList<>();
        for (RacerId racer : racers) {
            if (entrants.size() < readable.size() && !chunk.isSpent(racer)) {
                entrants.add(new Entrant(racer, readable.get(entrants.size())));
            }
        }
        return entrants;
    }

    // ---- single attempts

    boolean hasHelpers() {
        return !helpers.isEmpty();
    }

    /** Racers for what is planned: lane by lane, so that every helper has something before any has two. */
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

    /** How many of {@link #workers()} have something to do. */
    int working() {
        return working;
    }

    private boolean isWorker(RacerId racer) {
        return isHelper(racer) && lanes.lane(racer) < mode.lineup().lanes();
    }

    /** The client's own, for what is planned of a chunk: as many as it has replicas. Those beyond are for extras. */
    List<RacerId> localWorkers(ChunkRoutes chunk) {
        return locals.stream().limit(chunk.plan.replicas()).toList();
    }

    /**
     * Racers that have nothing to do, for an extra beside an attempt of {@code racer}: helpers that are not silent make up
     * for helpers, and the client's own racers for each other.
     */
    List<RacerId> idleBeside(RacerId racer) {
        Collection<RacerId> lastFirst = lanes.isHelpers(racer) ? helpersLastFirst() : locals.descendingSet();
        return lastFirst.stream()
                .filter(other -> load(other) == 0 && !isSilent(other))
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

    /** Whether blocks belong to helpers. */
    boolean hasHomes() {
        return homes != BlockOwners.NONE;
    }

    /**
     * Whether the helper may be asked for the piece: where it belongs to some, only the first of them that is left and has a
     * way to it; any other when none is.
     */
    boolean mayBring(int helper, WantedRange piece) {
        if (helper == SpeedEstimates.CLIENT) {
            return true;
        }
        for (int home : homesOf(piece)) {
            if (helpers.contains(home) && piece.chunk.hasWay(home)) {
                return home == helper;
            }
        }
        return true;
    }

    /** Asked once for all racers: it costs more than the rest of the decision. */
    private int[] homesOf(WantedRange piece) {
        int[] known = piece.homes;
        if (known == null) {
            known = homes.of(piece.chunk.plan.chunkIndex(), piece.missing().offset());
            piece.homes = known;
        }
        return known;
    }

    /** Blocks the racer was issued and has not fetched. */
    int load(RacerId racer) {
        Deque<BlockProgress> queue = queues.get(racer);
        return queue == null ? 0 : queue.size();
    }

    /** The block the racer is fetching, or was issued first of those it has not. */
    @Nullable
    BlockProgress head(RacerId racer) {
        Deque<BlockProgress> queue = queues.get(racer);
        return queue == null ? null : queue.peek();
    }

    /** Whether it is the racer's next to start, and nothing else of what it was issued is under way. */
    boolean isNext(RacerId racer, BlockProgress flight) {
        Deque<BlockProgress> queue = queues.get(racer);
        if (queue == null || queue.peek() != flight) {
            return false;
        }
        for (BlockProgress other : queue) {
            if (racer.equals(other.runner)) {
                return false;
            }
        }
        return true;
    }

    /** What the racer's helper was issued first to start it, and is not next. */
    List<BlockProgress> waitingAt(RacerId racer) {
        List<BlockProgress> waiting = new ArrayList<>();
        for (RacerId lane : lanes.of(lanes.helper(racer))) {
            queues.getOrDefault(lane, new ArrayDeque<>()).stream()
                    .skip(1)
                    .filter(flight -> flight.holder().racer().equals(lane))
                    .forEach(waiting::add);
        }
        return waiting;
    }

    /** When the racer was last through with something, or rid of it; {@code otherwise} if that is later. */
    long freeSince(RacerId racer, long otherwise) {
        return later(freeSinceNanos.get(racer), otherwise);
    }

    void queued(BlockProgress flight) {
        flight.block.entrants().forEach(entrant -> queue(entrant.racer()).add(flight));
    }

    /** The racer is at work for the flight, which was no longer taken for its business. */
    void queuedAgain(BlockProgress flight, RacerId racer) {
        Deque<BlockProgress> queue = queue(racer);
        if (!queue.contains(flight)) {
            queue.addFirst(flight);
        }
    }

    /** About to have something in it. */
    private Deque<BlockProgress> queue(RacerId racer) {
        if (load(racer) == 0 && isWorker(racer)) {
            working++;
        }
        return queues.computeIfAbsent(racer, unused -> new ArrayDeque<>());
    }

    /** The flight is no longer this racer's business. */
    void unqueued(BlockProgress flight, RacerId racer) {
        Deque<BlockProgress> queue = queues.get(racer);
        if (queue != null) {
            if (queue.peek() == flight) {
                freed(racer);
            }
            queue.remove(flight);
            if (queue.isEmpty()) {
                dismiss(racer);
            }
        }
    }

    /** The racer is through with something, or rid of it: what comes next has its time from now. */
    void freed(RacerId racer) {
        freeSinceNanos.put(racer, nowNanos);
    }

    /** The racer has nothing to do any more. */
    private void dismiss(RacerId racer) {
        if (queues.remove(racer) != null && isWorker(racer)) {
            working--;
        }
    }

    void unqueued(BlockProgress flight) {
        flight.block.entrants().forEach(entrant -> unqueued(flight, entrant.racer()));
    }
}
