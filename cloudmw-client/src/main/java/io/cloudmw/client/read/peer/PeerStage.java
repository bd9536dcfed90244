package io.cloudmw.client.read.peer;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.read.ledger.ReadLedger;
import io.cloudmw.client.read.ledger.ReadScope;
import io.cloudmw.client.read.relay.TransferCredit;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Location;
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
 * The search for peers that hold a read's next chunks, and the fetches from them; it comes before the helpers where
 * the volume allows it. The transfer does not ask a peer again that failed once, and asks none after a few failures.
 * A read with a deadline asks no peers, because their speed is unknown. Confined to the transfer.
 */
public final class PeerStage {
    /** A listener, called on the transfer's executor, except where a method says otherwise. */
    public interface Listener {
        /** The search has an answer, or has timed out. */
        void searched();

        /** The next leaf of a chunk was handed on. */
        void broughtByPeer(int bytes);

        /** Peers bring no more of this part. Its missing leaves, if any, must be read otherwise. */
        void left(ChunkPart part);

        /** A leaf was verified. Any thread. */
        void verified(Chunk chunk, long offset, ByteBuffer leaf);

        void destinationFailed(CloudMwException cause);
    }

    /** Chunks that one search covers. */
    public static final int AHEAD = 256;

    /** Older answers are searched again. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The timeout of a search. */
    private static final long SEARCH_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int FETCHES = 4;

    /** After this many useless peers, a read asks no more. */
    static final int MAX_USELESS = 3;

    /** A slower peer is useless, however slow the helpers are. */
    static final long LEAST_BYTES_PER_SECOND = 1 << 20;

    /** A peer at this speed is always fast enough, since one with 1 Gbit/s may serve sixteen readers. */
    static final long ENOUGH_BYTES_PER_SECOND = 4 << 20;

    /** A peer slower than the helpers by more than this factor is too slow. */
    private static final int SLOWER = 4;

    private static final long WINDOW_BYTES = 1 << 20;
    private static final Logger log = LoggerFactory.getLogger(PeerStage.class);

    private final ReadScope scope;
    private final ClientContext context;
    private final SerialExecutor serial;
    private final ReadPlan plan;
    private final Location location;
    private final LeafSink sink;
    private final TransferCredit share;
    private final ReadLedger ledger;
    private final SpeedEstimates speeds;
    private final Listener listener;
    private final Map<ChunkPart, PeerFetch> fetches = new LinkedHashMap<>();
    private final Queue<ChunkPart> left = new ArrayDeque<>();
    private Map<ChunkId, List<FoundPeer>> known = Map.of();
    private Set<ChunkId> searched = Set.of();
    private long searchedNanos;
    private long searches;
    private @Nullable CompletableFuture<?> search;
    private boolean enabled;

    /**
     * @param urgency of the read: with a deadline it asks no peers
     * @param speeds the expected speeds of the helpers
     */
    public PeerStage(ReadScope scope, Location location, Urgency urgency, SpeedEstimates speeds, Listener listener) {
        this.scope = scope;
        this.context = scope.context();
        this.serial = scope.serial();
        this.plan = scope.plan();
        this.location = location;
        this.sink = scope.sink();
        this.share = scope.credit();
        this.ledger = scope.ledger();
        this.listener = listener;
        this.speeds = speeds;
        enabled = urgency.deadline().isEmpty() && plan.peers() && ledger.uselessPeers() < MAX_USELESS;
    }

    // ---- who holds which chunk

    /** Returns whether the holders of the part's chunk are known. */
    public boolean knows(ChunkPart part) {
        return !enabled
                || (searched.contains(part.chunk().id()) && context.ticker().nanos() - searchedNanos < FRESH_NANOS);
    }

    /** Returns whether a known holder of the part's chunk may be asked. */
    public boolean isHeld(ChunkPart part) {
        return enabled && !candidates(part.chunk().id()).isEmpty();
    }

    /** Searches for holders of this chunk and the following ones; {@link Listener#searched} follows. */
    public void find(ChunkPart part, List<PlannedChunk> ahead) {
        List<PlannedChunk> wanted = new ArrayList<>();
        wanted.add(part.item().chunk());
        wanted.addAll(ahead);
        Map<VersionId, List<Long>> indexes = new LinkedHashMap<>();
        Map<VersionId, TransferToken> tokens = new HashMap<>();
        Set<ChunkId> asked = new HashSet<>();
        for (PlannedChunk planned : wanted) {
            ChunkId id = planned.chunk().id();
            // Peers keep whole chunks only.
            if (asked.add(id) && id.slice().isEmpty()) {
                indexes.computeIfAbsent(id.version(), first -> new ArrayList<>())
                        .add(id.index());
                tokens.putIfAbsent(id.version(), planned.token().orElse(plan.token()));
            }
        }
        List<PeerSearch.WantedChunks> by = new ArrayList<>();
        indexes.forEach((version, some) ->
                by.add(new PeerSearch.WantedChunks(Objects.requireNonNull(tokens.get(version)), some)));
        Optional<PeerId> self = context.reads().peers().node().map(node -> node.id());
        long number = ++searches;
        CompletableFuture<List<FoundPeer>> call = by.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : context.coordinator().findPeers(new PeerSearch(by, location, self));
        search = call;
        var unused =
                call.whenComplete((found, failure) -> serial.execute(() -> answered(number, asked, found, failure)));
        boolean late = Threads.later(
                        context.threads().timer(),
                        SEARCH_TIMEOUT_NANOS,
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
            // Peers only make a read cheaper, so it does not wait for them again.
            log.debug("{}: the search for peers failed", plan.version().file(), failure);
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
            searchedNanos = context.ticker().nanos();
        }
        listener.searched();
    }

    /** The nearest peers first; among equally near ones the least loaded by this transfer. */
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

    // ---- fetches

    /** Returns whether another fetch may begin; a stream has a single fetch at a time. */
    public boolean hasRoom() {
        return fetches.size() < (sink.inOrder() ? 1 : FETCHES);
    }

    /** Returns whether no fetch is under way and no part is left. */
    public boolean isIdle() {
        return fetches.isEmpty() && left.isEmpty();
    }

    /** Begins a fetch from peers; false when there is no memory for it. */
    public boolean begin(ChunkPart part) {
        int leaf = part.chunk().leafSizeBytes();
        long window = share.take(Math.min(part.missing().length(), Math.max(WINDOW_BYTES, leaf)), leaf);
        if (window == 0) {
            return false;
        }
        PeerFetch fetch = new PeerFetch(
                scope,
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
                    public void over(ChunkPart rest) {
                        fetches.remove(part);
                        share.giveBack(window);
                        listener.left(rest);
                    }
                });
        fetches.put(part, fetch);
        fetch.next();
        return true;
    }

    /** The least speed of a peer: a fraction of a helper's expected speed at the fastest store. */
    private long leastBytesPerSecond(ChunkPart part) {
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
     * Handles a failed peer. A peer that has evicted the chunk or is busy may serve later chunks. Useless or slow peers
     * cost time; a read tolerates a few.
     */
    private void lost(FoundPeer peer, long broughtBytes, CloudMwException why) {
        log.debug("{} at {}: {}", peer.id(), peer.address(), why.getMessage());
        if (why.code() == ErrorCode.NOT_FOUND || why.code() == ErrorCode.OVERLOADED) {
            return;
        }
        ledger.peerFailed(peer.id(), why.code(), broughtBytes == 0 || why.code() == ErrorCode.DEADLINE_EXCEEDED);
        if (ledger.uselessPeers() >= MAX_USELESS) {
            enabled = false;
        }
    }

    /** Adds a part that must be read otherwise; {@link #next} returns it. */
    public void add(ChunkPart rest) {
        left.add(rest);
    }

    /** The next part that must be read otherwise; null: none. */
    @Nullable
    public ChunkPart next() {
        return left.poll();
    }

    /** Bytes that peers brought of chunks that are not done. */
    public long openBytes() {
        return fetches.values().stream().mapToLong(PeerFetch::broughtBytes).sum()
                + left.stream().mapToLong(ChunkPart::fromPeers).sum();
    }

    /** Bytes of these chunks that an earlier get had left. */
    public long openKeptBytes() {
        return fetches.keySet().stream().mapToLong(ChunkPart::kept).sum()
                + left.stream().mapToLong(ChunkPart::kept).sum();
    }

    /** Cancels the search and all fetches. Idempotent. */
    public void close(ErrorCode why) {
        enabled = false;
        if (search != null) {
            search.cancel(true);
            search = null;
        }
        List.copyOf(fetches.values()).forEach(fetch -> fetch.close(why));
    }
}
