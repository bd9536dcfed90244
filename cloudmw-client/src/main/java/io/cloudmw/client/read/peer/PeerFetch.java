package io.cloudmw.client.read.peer;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.read.ledger.ReadScope;
import io.cloudmw.client.read.relay.RelayListener;
import io.cloudmw.client.read.relay.RelayOffer;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.rpc.link.BulkLease;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A fetch of part of a chunk from peers, one after another: each peer is asked for what the earlier ones did not
 * bring. A peer that cannot be reached, brings nothing for a while or is slow is given up, unless the destination
 * itself takes nothing. Confined to the transfer, except for the relay's callbacks.
 */
final class PeerFetch implements RelayListener {
    /** Called on the transfer's executor, except where a method says otherwise. */
    interface Listener {
        /** The next leaf was handed on. */
        void brought(int bytes);

        /** A peer brings no more of this part, after it has brought so many bytes. */
        void failed(FoundPeer peer, long broughtBytes, CloudMwException why);

        /** A leaf was verified. Any thread. */
        void verified(Chunk chunk, long offset, ByteBuffer leaf);

        void destinationFailed(CloudMwException cause);

        /** The fetch has ended; called once. */
        void over(ChunkPart left);
    }

    /** The interval between checks of the progress. */
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The number of checks over which the progress is compared with the least speed. */
    private static final int CHECKS_COMPARED = 2;

    private final ClientContext context;
    private final SerialExecutor serial;
    private final LeafSink sink;
    private final long windowBytes;
    private final Queue<FoundPeer> candidates;
    private final Predicate<FoundPeer> mayBeAsked;
    private final long leastBytesPerSecond;
    private final Listener listener;
    private ChunkPart part;
    private @Nullable FoundPeer asked;
    private @Nullable BulkLease lease;
    private @Nullable RelayReceiver relay;
    private @Nullable Future<?> alarm;
    private long relays;

    /** The number of peers asked; a check for an earlier peer is ignored. */
    private int turn;

    /** Checks of the current peer, and the bytes at the last two of them. */
    private int checks;

    private long seenBytes;
    private long seenBeforeBytes;

    /** The relay was refused, and may still hand on a leaf. */
    private boolean draining;

    private boolean closed;
    private boolean over;

    /**
     * @param mayBeAsked is tested before each peer is asked, since other fetches may have found it useless meanwhile
     * @param leastBytesPerSecond a slower peer is given up
     */
    PeerFetch(
            ReadScope scope,
            long windowBytes,
            ChunkPart part,
            Collection<FoundPeer> candidates,
            Predicate<FoundPeer> mayBeAsked,
            long leastBytesPerSecond,
            Listener listener) {
        this.context = scope.context();
        this.serial = scope.serial();
        this.sink = scope.sink();
        this.windowBytes = windowBytes;
        this.part = part;
        this.candidates = new ArrayDeque<>(candidates);
        this.mayBeAsked = mayBeAsked;
        this.leastBytesPerSecond = leastBytesPerSecond;
        this.listener = listener;
    }

    /** Returns whether the fetch now asks this peer. */
    boolean isAsking(FoundPeer peer) {
        FoundPeer now = asked;
        return now != null && now.id().equals(peer.id());
    }

    /** Bytes brought so far. */
    long broughtBytes() {
        return part.fromPeers();
    }

    /** Asks the next peer; ends when none is left. */
    void next() {
        candidates.removeIf(mayBeAsked.negate());
        FoundPeer peer = closed || part.missing().isEmpty() ? null : candidates.poll();
        asked = peer;
        turn++;
        if (peer == null) {
            end();
            return;
        }
        checks = 0;
        seenBytes = 0;
        seenBeforeBytes = 0;
        if (!setAlarm()) {
            closed = true;
            end();
            return;
        }
        // Peers have no gRPC service: there is no channel to open.
        HelperAddress address = new HelperAddress(new HelperId(peer.id().value()), peer.address(), peer.address());
        CompletableFuture<BulkLease> connecting = context.links().get().leasePeer(address);
        var unused = connecting.whenComplete((made, failure) -> serial.execute(() -> connected(peer, made, failure)));
    }

    private void connected(FoundPeer peer, @Nullable BulkLease made, @Nullable Throwable failure) {
        if (over || !peer.equals(asked) || relay != null) {
            if (made != null) {
                made.close();
            }
        } else if (made == null) {
            lost(Failures.of(failure == null ? new IllegalStateException("no link and no failure") : failure));
        } else {
            lease = made;
            checks = -1; // the peer's time begins here
            open(peer, made);
        }
    }

    private void open(FoundPeer peer, BulkLease made) {
        Chunk chunk = part.chunk();
        StoreId name = new StoreId(peer.id().value());
        PeerRelaySource source = new PeerRelaySource();
        Executor handingOn =
                sink.mayBlock() ? context.threads().sinks() : context.threads().workers();
        RelayReceiver opened = new RelayReceiver(
                new RelayOffer(++relays, new BlockId(0), new RacerId(0), name), source, this, sink, handingOn);
        relay = opened;
        opened.accept(new Block(new BlockId(0), chunk.index(), part.missing(), 1, List.of()), part.missing(), chunk);
        byte[] request = new BulkRequest.Read(
                        peer.token(), name, chunk.id(), part.missing(), Urgency.of(Priority.INTERACTIVE))
                .encode();
        BulkStream stream = made.connection().open(request, opened);
        source.bind(stream);
        opened.grant(Math.min(windowBytes, part.missing().length()));
    }

    // ---- checks of the progress

    private boolean setAlarm() {
        int now = turn;
        alarm = Threads.later(context.threads().timer(), CHECK_NANOS, () -> serial.execute(() -> check(now)))
                .orElse(null);
        return alarm != null;
    }

    private void check(int atTurn) {
        if (over || draining || asked == null || atTurn != turn) {
            return;
        }
        RelayReceiver open = relay;
        long came = open == null ? 0 : open.returned();
        boolean starved = open != null && open.isStarved();
        checks = starved ? 0 : checks + 1;
        long recently = came - seenBeforeBytes;
        seenBeforeBytes = starved ? came : seenBytes;
        seenBytes = came;
        if (checks >= CHECKS_COMPARED && recently < leastBytes()) {
            lost(new CloudMwException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "chunk=" + part.chunk().id() + ": " + recently + " bytes within " + CHECKS_COMPARED + " s"));
            return;
        }
        if (!setAlarm()) {
            close(ErrorCode.CANCELLED);
        }
    }

    /** The least bytes between checks, less one leaf that may be on its way. */
    private long leastBytes() {
        return Math.max(1, CHECKS_COMPARED * leastBytesPerSecond - part.chunk().leafSizeBytes());
    }

    /** The peer brings no more. The next peer is asked once nothing of this one is handed on any more. */
    private void lost(CloudMwException why) {
        FoundPeer peer = asked;
        if (over || draining || peer == null) {
            return;
        }
        RelayReceiver open = relay;
        listener.failed(peer, open == null ? 0 : open.returned(), why);
        leave(why.code(), String.valueOf(why.getMessage()));
    }

    private void leave(ErrorCode code, String message) {
        if (alarm != null) {
            alarm.cancel(false);
        }
        RelayReceiver open = relay;
        if (open == null) {
            asked = null;
            next();
        } else {
            draining = true;
            open.refuse(code, message);
        }
    }

    /** Ends the fetch; {@link Listener#over} follows. Idempotent. */
    void close(ErrorCode why) {
        if (closed || over) {
            return;
        }
        closed = true;
        if (!draining) {
            leave(why, "transfer over");
        }
    }

    private void end() {
        if (!over) {
            over = true;
            if (alarm != null) {
                alarm.cancel(false);
            }
            listener.over(part);
        }
    }

    private void release() {
        relay = null;
        draining = false;
        BulkLease held = lease;
        lease = null;
        if (held != null) {
            held.close();
        }
    }

    // ---- the relay, by any thread

    @Override
    public void verified(Chunk chunk, long offset, ByteBuffer leaf) {
        listener.verified(chunk, offset, leaf);
    }

    @Override
    public void leafDelivered(RelayReceiver from, int bytes) {
        serial.execute(() -> {
            if (from != relay) {
                return;
            }
            from.returned(bytes);
            part = part.without(bytes);
            listener.brought(bytes);
            if (draining) {
                return;
            }
            if (part.missing().isEmpty()) {
                from.finish();
                release();
                asked = null;
                end();
            } else {
                long more = Math.min(bytes, from.length() - from.grantedBytes());
                if (more > 0) {
                    from.grant(more);
                }
            }
        });
    }

    /** Blames the peer: the leaf was right when the peer verified it. */
    @Override
    public void leafCorrupt(RelayReceiver from, CloudMwException what) {
        relayFailed(from, what);
    }

    @Override
    public void relayFailed(RelayReceiver from, CloudMwException cause) {
        serial.execute(() -> {
            if (from != relay) {
                return;
            }
            if (cause.code() == ErrorCode.DEADLINE_EXCEEDED && !over && !draining) {
                // The peer gave up waiting for the destination: it is not to blame.
                leave(cause.code(), String.valueOf(cause.getMessage()));
            } else {
                lost(cause);
            }
        });
    }

    @Override
    public void starved(RelayReceiver from) {
        // The next check sees it.
    }

    @Override
    public void drained(RelayReceiver from) {
        serial.execute(() -> {
            if (from == relay) {
                release();
                asked = null;
                next();
            }
        });
    }

    @Override
    public void destinationFailed(CloudMwException cause) {
        serial.execute(() -> listener.destinationFailed(cause));
    }
}
