package io.cloudmw.client.read.relay;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.SerialExecutor;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of one relay: it has one offered block's leaves verified ({@link RelayLeafVerifier}) and hands them
 * on. Leaves arrive whole on an event loop. {@code lane} verifies them in order, one at a time, hands them on and
 * releases their buffers. Leaves that come before the relay is accepted are verified at once and wait. Grants,
 * acceptance and closing belong to the transfer.
 */
public final class RelayReceiver implements BulkStreamListener {
    private final RelayOffer offer;
    private final RelaySource source;
    private final RelayListener owner;
    private final LeafSink sink;
    private final SerialExecutor lane;
    private final RelayLeafVerifier verifier;
    private final AtomicLong received = new AtomicLong();
    private volatile @Nullable ExpectedLeaves expected;
    private volatile boolean accepted;
    private volatile long granted;
    private volatile boolean closed;
    /** Bytes handed on; confined to the lane. */
    private long handedOn;

    /** True once a leaf could not be written; confined to the lane. */
    private boolean broken;
    /** Verified leaves that wait to be handed on; confined to the lane. */
    private final Deque<ByteBuf> verified = new ArrayDeque<>();

    private boolean ended;
    /** Bytes whose credit was given back; confined to the transfer. */
    private long returned;

    private boolean withheld;
    private boolean shortened;

    public RelayReceiver(RelayOffer offer, RelaySource source, RelayListener owner, LeafSink sink, Executor threads) {
        this.offer = offer;
        this.source = source;
        this.owner = owner;
        this.sink = sink;
        this.verifier = new RelayLeafVerifier(offer.store(), owner);
        this.lane = new SerialExecutor(threads, this::brokenBy);
    }

    public long number() {
        return offer.number();
    }

    public BlockId block() {
        return offer.block();
    }

    public RacerId racer() {
        return offer.racer();
    }

    public StoreId store() {
        return offer.store();
    }

    boolean isAccepted() {
        return accepted;
    }

    /** Returns whether the relay may be granted credit. */
    boolean isExpected() {
        return expected != null;
    }

    /**
     * Prepares the relay before its first grant: leaves are verified, and wait until it is accepted as by {@link
     * #accept}.
     */
    public void prepare(Block offered, ByteRange wanted, Chunk chunk) {
        expected = expected(offered, wanted, chunk);
    }

    /**
     * Accepts the relay before its first grant, unless it was prepared.
     *
     * @param wanted the part of the block to hand on; earlier bytes are dropped
     */
    public void accept(Block offered, ByteRange wanted, Chunk chunk) {
        expected = expected(offered, wanted, chunk);
        shortened |= granted > length();
        accepted = true;
        lane.execute(this::advance);
    }

    private static ExpectedLeaves expected(Block offered, ByteRange wanted, Chunk chunk) {
        long from = offered.range().offset();
        return new ExpectedLeaves(chunk, from, wanted.end() - from, wanted.offset());
    }

    /** Keeps only the first {@code length} bytes of the block for this relay. */
    public void shorten(long length) {
        ExpectedLeaves what = require();
        if (length < what.length()) {
            shortened = true;
            expected = new ExpectedLeaves(what.chunk(), what.from(), length, what.wantedFrom());
        }
    }

    /** Returns whether more bytes come than are wanted. */
    boolean isShortened() {
        return shortened;
    }

    /** Returns true when the next leaf to be returned was handed on; false when it was dropped. */
    boolean isNextWanted() {
        return require().wants(returned);
    }

    public Chunk chunk() {
        return require().chunk();
    }

    /** The block's position in the file. */
    public long position() {
        ExpectedLeaves what = require();
        return what.chunk().range().offset() + what.from();
    }

    public long length() {
        return require().length();
    }

    private ExpectedLeaves require() {
        ExpectedLeaves what = expected;
        if (what == null) {
            throw new IllegalStateException("relay " + offer.number() + " was neither prepared nor accepted");
        }
        return what;
    }

    public long grantedBytes() {
        return granted;
    }

    /** Bytes granted, and neither handed on nor given up. */
    long outstanding() {
        return granted - returned;
    }

    public long returned() {
        return returned;
    }

    public boolean isStarved() {
        return received.get() >= granted;
    }

    boolean isWithheld() {
        return withheld;
    }

    void withheld(boolean now) {
        withheld = now;
    }

    public void grant(long bytes) {
        long sum = granted + bytes; // only the transfer writes it
        granted = sum;
        source.grant(bytes);
    }

    public void returned(long bytes) {
        returned += bytes;
    }

    boolean isDelivered() {
        return accepted && returned >= length();
    }

    /** Ends the relay after every leaf was handed on. */
    public void finish() {
        closed = true;
        source.finished();
    }

    /** Refuses the rest, which is not handed on; {@link RelayListener#drained} follows. */
    public void refuse(ErrorCode code, String message) {
        if (closed) {
            return;
        }
        closed = true;
        source.refuse(code, message);
        lane.execute(() -> {
            verified.forEach(ByteBuf::release);
            verified.clear();
            owner.drained(this);
        });
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        if (closed) {
            payload.release();
            return;
        }
        long sum = received.addAndGet(payload.readableBytes());
        lane.execute(() -> arrived(payload));
        if (sum >= granted) {
            owner.starved(this);
        }
    }

    @Override
    public void ended(byte[] trailer) {
        lane.execute(() -> {
            ended = true;
            advance();
        });
    }

    private void checkEnd() {
        ExpectedLeaves what = expected;
        if (!closed && (what == null || handedOn < what.length())) {
            owner.relayFailed(
                    this,
                    new CloudMwException(
                            ErrorCode.PROTOCOL_VIOLATION,
                            "block " + offer.block().value() + ": relay ended after " + handedOn + " bytes"));
        }
    }

    @Override
    public void granted() {}

    @Override
    public void failed(CloudMwException cause) {
        lane.execute(() -> owner.relayFailed(this, cause));
    }

    private void brokenBy(Throwable defect) {
        owner.relayFailed(this, Failures.of(defect));
    }

    /** Verifies a leaf at once, before its turn. */
    private void arrived(ByteBuf payload) {
        boolean right = false;
        try {
            right = !closed && isVerified(payload);
        } finally {
            if (!right) {
                payload.release();
            }
        }
        if (right) {
            verified.add(payload);
            advance();
        }
    }

    private boolean isVerified(ByteBuf payload) {
        try {
            return verifier.verify(require(), payload.nioBuffer());
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.REPLICA_CORRUPT) {
                owner.leafCorrupt(this, e);
            } else {
                owner.relayFailed(this, e);
            }
            return false;
        }
    }

    /** Hands on the verified leaves whose turn has come. */
    private void advance() {
        if (isExpected() && !accepted && !closed) {
            return;
        }
        for (ByteBuf leaf = verified.poll(); leaf != null; leaf = verified.poll()) {
            handOn(leaf);
        }
        if (ended) {
            checkEnd();
        }
    }

    private void handOn(ByteBuf payload) {
        int bytes = payload.readableBytes();
        boolean delivered = false;
        try {
            if (!closed && !broken) {
                broken = true;
                delivered = write(payload);
                broken = !delivered;
            }
        } finally {
            payload.release();
        }
        if (delivered) {
            owner.leafDelivered(this, bytes);
        }
    }

    private boolean write(ByteBuf payload) {
        ExpectedLeaves what = require();
        long offset = handedOn;
        if (offset >= what.length()) {
            return false; // it was shortened meanwhile
        }
        if (what.wants(offset)) {
            try {
                sink.write(what.chunk().range().offset() + what.from() + offset, payload.nioBuffer());
            } catch (CloudMwException | RuntimeException | Error e) {
                // The caller's channel may throw anything; that is no fault of the replica.
                if (!closed) {
                    owner.destinationFailed(Failures.of(e));
                }
                return false;
            }
        }
        handedOn = offset + payload.readableBytes();
        return true;
    }
}
