package io.cloudmw.client.read.racer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.read.relay.RelaySource;
import io.cloudmw.client.rpc.link.BlockRequests;
import io.cloudmw.client.rpc.link.BulkLease;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.SerialExecutor;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A block of a small read, requested from one helper on the bulk plane: the helper fetches the block and sends it on
 * the stream of the request, and no transfer begins there. Its reports are made here, from what arrives. A request that
 * fails before the first leaf has come is issued to the helper as any block.
 *
 * <p>The helper has credit for one leaf with the request, so that a leaf takes one round trip. Confined to the
 * transfer, except for the stream's callbacks.
 */
public final class SmallReadRequest implements BulkStreamListener {
    /**
     * The helper that is asked.
     *
     * @param lease the helper's connection; closed with the request
     */
    public record Target(ReadPlan plan, HelperAddress helper, Urgency urgency, CompletableFuture<BulkLease> lease) {}

    private static final byte[] NO_TRAILER = {};

    private enum State {
        ASKING,
        /** The first leaf has come, and the block was offered. */
        ARRIVING,
        /** The helper is issued the block, or nothing more is wanted of it. */
        OVER
    }

    private final SerialExecutor serial;
    private final Target target;
    private final IssuedBlock block;
    private final RacerEvents events;
    private final Consumer<IssuedBlock> issuer;
    private final Source source = new Source();
    private State state = State.ASKING;
    /** The last report; empty before the first. */
    private Optional<AttemptState> told = Optional.empty();

    private volatile long received;

    /** @param issuer issues the block to the helper when the request has failed */
    public SmallReadRequest(
            SerialExecutor serial, Target target, IssuedBlock block, RacerEvents events, Consumer<IssuedBlock> issuer) {
        this.serial = serial;
        this.target = target;
        this.block = block;
        this.events = events;
        this.issuer = issuer;
    }

    /** Sends the request as soon as there is a connection. */
    public void begin() {
        var unused = target.lease()
                .whenComplete((made, failure) -> serial.execute(() -> {
                    if (state == State.OVER) {
                        return;
                    }
                    if (made == null) {
                        notAnswered();
                    } else {
                        open(made);
                    }
                }));
    }

    private void open(BulkLease made) {
        byte[] request = BlockRequests.toHelper(target.plan(), target.helper(), block, target.urgency())
                .encode();
        tell(AttemptState.STARTED, 0, Optional.empty());
        source.begin(made.connection().open(request, this));
    }

    /** Returns whether the block comes by this request; false once it is issued to the helper. */
    public boolean isOpen() {
        return state != State.OVER;
    }

    /** Returns whether the helper of this name was asked. */
    public boolean isTo(String helper) {
        return target.helper().id().value().equals(helper);
    }

    /** Ends the request: the block has arrived, or is not wanted. Idempotent. */
    public void close() {
        if (state == State.OVER) {
            return;
        }
        if (state == State.ASKING) {
            source.refuse(ErrorCode.CANCELLED, "not wanted");
        }
        state = State.OVER;
        if (told.isPresent()) {
            tell(AttemptState.CANCELLED, received, Optional.empty());
        }
        var unused = target.lease().thenAccept(BulkLease::close);
    }

    // ---- events of the stream

    @Override
    public void data(ByteBuf payload, int crc32c) {
        long before = received; // only the event loop writes it
        long bytes = before + payload.readableBytes();
        received = bytes;
        boolean whole = bytes == block.block().range().length();
        if (before == 0) {
            serial.execute(this::offer);
        }
        serial.execute(() -> tell(whole ? AttemptState.FINISHED : AttemptState.PROGRESSED, bytes, Optional.empty()));
        source.came(payload, crc32c);
    }

    /** Offers the block, whose first leaf is here. */
    private void offer() {
        if (state == State.ASKING) {
            state = State.ARRIVING;
            source.relayTo(events.offer(racer(), id(), store(), source));
        }
    }

    @Override
    public void ended(byte[] trailer) {
        source.ended(relay -> relay.ended(trailer));
    }

    @Override
    public void granted() {
        // Nothing is sent.
    }

    @Override
    public void failed(CloudMwException cause) {
        long bytes = received;
        serial.execute(() -> {
            if (state == State.OVER) {
                return;
            }
            tell(AttemptState.FAILED, bytes, Optional.of(cause.code()));
            if (state == State.ASKING) {
                notAnswered();
            } else {
                source.ended(relay -> relay.failed(cause));
            }
        });
    }

    private void notAnswered() {
        state = State.OVER;
        var unused = target.lease().thenAccept(BulkLease::close);
        issuer.accept(block);
    }

    /** Reports how far the attempt is, unless its end was reported. */
    private void tell(AttemptState now, long bytes, Optional<ErrorCode> error) {
        if (told.isPresent() && told.get().isOver()) {
            return;
        }
        told = Optional.of(now);
        events.attempted(
                racer(),
                id(),
                new Attempt(
                        events.chunkOf(id()),
                        id().value(),
                        target.helper().id().value(),
                        store(),
                        0,
                        now,
                        bytes,
                        error));
    }

    private BlockId id() {
        return block.block().id();
    }

    private RacerId racer() {
        return block.block().entrants().get(0).racer();
    }

    private StoreId store() {
        return block.replicas().get(block.block().entrants().get(0).replica());
    }

    /** The stream as the source of a relay: it keeps what comes before the relay is accepted. Safe for any thread. */
    private final class Source implements RelaySource {
        private record Frame(ByteBuf payload, int crc32c) {}

        @GuardedBy("this")
        private final Queue<Frame> early = new ArrayDeque<>();

        /** The end of the stream, when it came before the relay was accepted. */
        @GuardedBy("this")
        private @Nullable Consumer<RelayReceiver> earlyEnd;

        @GuardedBy("this")
        private @Nullable BulkStream open;

        @GuardedBy("this")
        private @Nullable RelayReceiver relay;

        /** Whether the relay takes what comes: it has granted something. */
        @GuardedBy("this")
        private boolean flowing;

        @GuardedBy("this")
        private boolean refused;

        /** Bytes of credit that the helper has, and that the relay has not granted. */
        @GuardedBy("this")
        private long ahead;

        synchronized void begin(BulkStream asking) {
            open = asking;
            ahead = Math.min(block.leafSizeBytes(), block.block().range().length());
            asking.grant(ahead);
        }

        synchronized void relayTo(RelayReceiver offered) {
            relay = offered;
        }

        synchronized void came(ByteBuf payload, int crc32c) {
            if (refused) {
                payload.release();
            } else if (flowing && relay != null) {
                relay.data(payload, crc32c);
            } else {
                early.add(new Frame(payload, crc32c));
            }
        }

        /** Tells the relay of the end of the stream, after everything that came before. */
        synchronized void ended(Consumer<RelayReceiver> end) {
            if (flowing && relay != null) {
                end.accept(relay);
            } else {
                earlyEnd = end;
            }
        }

        @Override
        public synchronized void grant(long bytes) {
            flowing = true;
            for (Frame frame = early.poll(); frame != null && relay != null; frame = early.poll()) {
                relay.data(frame.payload(), frame.crc32c());
            }
            if (earlyEnd != null && relay != null) {
                earlyEnd.accept(relay);
                earlyEnd = null;
            }
            long known = Math.min(ahead, bytes);
            ahead -= known;
            if (bytes > known && open != null) {
                open.grant(bytes - known);
            }
        }

        @Override
        public synchronized void finished() {
            if (open != null) {
                open.end(NO_TRAILER);
            }
        }

        @Override
        public synchronized void refuse(ErrorCode code, String message) {
            refused = true;
            early.forEach(frame -> frame.payload().release());
            early.clear();
            if (open != null) {
                open.reset(code, message);
            }
        }
    }
}
