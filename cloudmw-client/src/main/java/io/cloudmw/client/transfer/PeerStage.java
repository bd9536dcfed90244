package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.placement.PeerSearch;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What comes before the plan of a read where the volume allows it: asks who of the neighbours holds the next chunks, has those
 * bring what they hold, and gives back what they did not. A peer that was of no use once is not asked again by this transfer,
 * and after a few such none is. A read that is to take no longer than some time asks none: what they can do is not known.
 * Confined to the transfer.
 */
final class PeerStage {
    /** Told on the transfer's executor, except where it says otherwise. */
    interface Listener {
        /** The answer is there, or is not waited for any longer. */
        void searched();

        /** The next leaf of a chunk was handed on. */
        void broughtByPeer(int bytes);

        /** Peers bring no more of this; what is missing of it, if anything, is to be read otherwise. */
        void left(Part part);

        /** A leaf was verified. By any thread. */
        void verified(Chunk chunk, long offset, ByteBuffer leaf);

        void destinationFailed(CloudMwException cause);
    }

    /** Chunks looked for at once. */
    static final int AHEAD = 256;

    /** What is known is old after this. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** An answer is waited for so long. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int FETCHES = 4;

    /** So many peers of no use, and a read asks none any more. */
    static final int MAX_IN_VAIN = 3;

    /** Less than this a second is of no use, whatever the fleet can do. */
    static final long LEAST_BYTES_PER_SECOND = 1 << 20;

    /** So much a second is always enough: more may be too much to ask of a peer with 1 Gbit/s that serves sixteen. */
    static final long ENOUGH_BYTES_PER_SECOND = 4 << 20;

    /** Bringing less than this part of what the fleet is expected to, a peer is too slow. */
    private static final int SLOWER = 4;

    private static final long WINDOW_BYTES = 1 << 20;
    private static final Logger log = LoggerFactory.getLogger(PeerStage.class);

    private final Engine engine;
    private final SerialExecutor serial;
    private final ReadPlan plan;
    private final Location location;
    private final LeafSink sink;
    private final TransferCredit share;
    private final ReadLedger ledger;
    private final SpeedEstimates speeds;
    private final Listener listener;
    private final Map<Part, PeerFetch> fetches = new LinkedHashMap<>();
    private final Queue<Part> left = new ArrayDeque<>();
    private Map<ChunkId, List<FoundPeer>> known = Map.of();
    private Set<ChunkId> searched = Set.of();
    private long searchedNanos;
    private long searches;
    private @Nullable CompletableFuture<?> search;
    private boolean enabled;

    /**
     * @param urgency of the read: with a deadline it asks nobody
     * @param speeds what may be expected of those who are asked otherwise
     */
    PeerStage(
            Engine engine,
            SerialExecutor serial,
            ReadPlan plan,
            Location location,
            LeafSink sink,
            TransferCredit share,
            ReadLedger ledger,
            Urgency urgency,
            SpeedEstimates speeds,
            Listener listener) {
        this.engine = engine;
        this.serial = serial;
        this.plan = plan;
        this.location = location;
        this.sink = sink;
        this.share = share;
        this.ledger = ledger;
        this.listener = listener;
        this.speeds = speeds;
        enabled = urgency.deadline().isEmpty() && plan.peers() && ledger.peersInVain() < MAX_IN_VAIN;
    }

    // ---- who holds what

    /** Whether it is known who holds this. */
    boolean knows(Part part) {
        return !enabled
                || (searched.contains(part.chunk().id()) && engine.ticker().nanos() - searchedNanos < FRESH_NANOS);
    }

    /** Whether a peer that may be asked holds it, as far as is known. */
    boolean isHeld(Part part) {
        return enabled && !candidates(part.chunk().id()).isEmpty();
    }

    /** Asks who holds this and those that follow; {@link Listener#searched} follows. */
    void find(Part part, List<PlannedChunk> ahead) {
        List<PlannedChunk> wanted = new ArrayList<>();
        wanted.add(part.item().chunk());
        wanted.addAll(ahead);
        Map<VersionId, List<Long>> indexes = new LinkedHashMap<>();
        Map<VersionId, TransferToken> tokens = new HashMap<>();
        Set<ChunkId> asked = new HashSet<>();
        for (PlannedChunk planned : wanted) {
            ChunkId id = planned.chunk().id();
            if (asked.add(id)) {
                indexes.computeIfAbsent(id.version(), first -> new ArrayList<>())
                        .add(id.index());
                tokens.putIfAbsent(id.version(), planned.token().orElse(plan.token()));
            }
        }
        List<PeerSearch.Wanted> by = new ArrayList<>();
        indexes.forEach(
                (version, some) -> by.add(new PeerSearch.Wanted(Objects.requireNonNull(tokens.get(version)), some)));
        Optional<PeerId> self = engine.peerNode().map(node -> node.id());
        long number = ++searches;
        CompletableFuture<List<FoundPeer>> call = engine.coordinator().findPeers(new PeerSearch(by, location, self));
        search = call;
        var unused =
                call.whenComplete((found, failure) -> serial.execute(() -> answered(number, asked, found, failure)));
        boolean late = Threads.later(
                        engine.threads().timer(),
                        PATIENCE_NANOS,
                        () -> serial.execute(() -> answered(number, asked, null, null)))
                .isEmpty();
        if (late) {
            serial.execute(() -> answered(number, asked, null, null));
        }
    }

    private void answered(
            long number, Set<ChunkId> asked, @Nullable List<FoundPeer> found, @Nullable Throwable failure) {
        if (number != searches || search == null) {
            return;
        }
        CompletableFuture<?> call = search;
        search = null;
        if (found == null) {
            // A read must not wait, again and again, for what only makes it cheaper.
            log.debug("{}: peers could not be looked for", plan.version().file(), failure);
            call.cancel(true);
            enabled = false;
        } else {
            Map<ChunkId, List<FoundPeer>> holders = new HashMap<>();
            for (FoundPeer peer : found) {
                peer.chunks()
                        .forEach(chunk -> holders.computeIfAbsent(chunk, first -> new ArrayList<>())
                                .add(peer));
            }
            known = holders;
            searched = asked;
            searchedNanos = engine.ticker().nanos();
        }
        listener.searched();
    }

    /** The nearest first; of those the one with the least to do for this transfer. */
    private List<FoundPeer> candidates(ChunkId chunk) {
        return known.getOrDefault(chunk, List.of()).stream()
                .filter(this::mayBeAsked)
                .sorted(Comparator.comparingInt((FoundPeer peer) -> -peer.sharedLabels())
                        .thenComparingLong(this::load))
                .toList();
    }

    private boolean mayBeAsked(FoundPeer peer) {
        return enabled && !ledger.hasFailed(peer.id());
    }

    private long load(FoundPeer peer) {
        return fetches.values().stream().filter(fetch -> fetch.isAsking(peer)).count();
    }

    // ---- what comes

    /** Whether another part may be begun: a stream's one after the other. */
    boolean hasRoom() {
        return fetches.size() < (sink.inOrder() ? 1 : FETCHES);
    }

    /** Whether nothing is under way, and nothing left. */
    boolean isIdle() {
        return fetches.isEmpty() && left.isEmpty();
    }

    /** Has peers bring it; false when there is no memory for that. */
    boolean begin(Part part) {
        int leaf = part.chunk().leafSizeBytes();
        long window = share.take(Math.min(part.missing().length(), Math.max(WINDOW_BYTES, leaf)), leaf);
        if (window == 0) {
            return false;
        }
        PeerFetch fetch = new PeerFetch(
                engine,
                serial,
                sink,
                window,
                part,
                candidates(part.chunk().id()),
                this::mayBeAsked,
                leastBytesPerSecond(part),
                new PeerFetch.Listener() {
                    @Override
                    public void brought(int bytes) {
                        listener.broughtByPeer(bytes);
                    }

                    @Override
                    public void failed(FoundPeer peer, long broughtBytes, CloudMwException why) {
                        lost(peer, broughtBytes, why);
                    }

                    @Override
                    public void verified(Chunk chunk, long offset, ByteBuffer leafBytes) {
                        listener.verified(chunk, offset, leafBytes);
                    }

                    @Override
                    public void destinationFailed(CloudMwException cause) {
                        listener.destinationFailed(cause);
                    }

                    @Override
                    public void over(Part rest) {
                        fetches.remove(part);
                        share.giveBack(window);
                        listener.left(rest);
                    }
                });
        fetches.put(part, fetch);
        fetch.next();
        return true;
    }

    /** What one of the fetches has to bring: some of what a helper is expected to get from the fastest of the stores. */
    private long leastBytesPerSecond(Part part) {
        Chunk chunk = part.chunk();
        double fastest = 0;
        for (StoreId store : chunk.replicas()) {
            for (int helper = 0; helper < plan.helpers().size(); helper++) {
                fastest = Math.max(
                        fastest,
                        speeds.expected(store, helper, chunk.range().length()).bytesPerSecond());
            }
        }
        double share = fastest / SLOWER / (sink.inOrder() ? 1 : FETCHES);
        return (long) Math.min(ENOUGH_BYTES_PER_SECOND, Math.max(LEAST_BYTES_PER_SECOND, share));
    }

    /**
     * One that has made room for something else meanwhile, or serves others, may bring what follows. Those that bring nothing,
     * or are too slow, cost time: of these a read bears with a few.
     */
    private void lost(FoundPeer peer, long broughtBytes, CloudMwException why) {
        log.debug("{} at {}: {}", peer.id(), peer.address(), why.getMessage());
        if (why.code() == ErrorCode.NOT_FOUND || why.code() == ErrorCode.OVERLOADED) {
            return;
        }
        ledger.peerFailed(peer.id(), why.code(), broughtBytes == 0 || why.code() == ErrorCode.DEADLINE_EXCEEDED);
        if (ledger.peersInVain() >= MAX_IN_VAIN) {
            enabled = false;
        }
    }

    /** To be read otherwise; {@link #next} gives it. */
    void add(Part rest) {
        left.add(rest);
    }

    /** What is to be read otherwise; null: nothing. */
    @Nullable
    Part next() {
        return left.poll();
    }

    /** Bytes brought of chunks that are not done. */
    long openBytes() {
        return fetches.values().stream().mapToLong(PeerFetch::broughtBytes).sum()
                + left.stream().mapToLong(Part::fromPeers).sum();
    }

    /** Bytes that were there already of these chunks. */
    long openKeptBytes() {
        return fetches.keySet().stream().mapToLong(Part::kept).sum()
                + left.stream().mapToLong(Part::kept).sum();
    }

    /** Ends what is under way. Idempotent. */
    void close(ErrorCode why) {
        enabled = false;
        if (search != null) {
            search.cancel(true);
            search = null;
        }
        List.copyOf(fetches.values()).forEach(fetch -> fetch.close(why));
    }
}
