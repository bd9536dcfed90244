package io.cloudmw.client.read.relay;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.chunk.Sha256;
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
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of one relay: it verifies one offered block's leaves and hands them on. Leaves arrive whole on an
 * event loop. {@code lane} checks them in order, one at a time, against the manifest's SHA-256, hands them on and
 * releases their buffers. Leaves that come before the relay is accepted are checked at once and wait. Grants,
 * acceptance and closing belong to the transfer.
 */
public final class RelayReceiver implements BulkStreamListener {
    /** The bytes that a prepared or accepted relay must bring. */
    private record Expected(Chunk chunk, long from, long length, long wantedFrom) {
        /** Returns whether the leaf at this offset of the block is to be handed on. */
        boolean wants(long offset) {
            return from + offset >= wantedFrom && offset < length;
        }
    }

    private final RelayOffer offer;
    private final RelaySource source;
    private final RelayListener owner;
    private final LeafSink sink;
    private final SerialExecutor lane;
    private final MessageDigest sha256 = Sha256.begin();
    private final AtomicLong received = new AtomicLong();
    private volatile @Nullable Expected expected;
    private volatile boolean accepted;
    private volatile long granted;
    private volatile boolean closed;
    /** Bytes handed on; confined to the lane. */
    private long handedOn;

    /** Bytes that were checked, or are not wanted; confined to the lane. */
    private long checkedBytes;

    /** True once a leaf was corrupt; confined to the lane. */
    private boolean corrupt;
    /** True once a leaf could not be written; confined to the lane. */
    private boolean broken;
    /** Verified leaves that wait to be handed on; confined to the lane. */
    private final Deque<ByteBuf> checked = new ArrayDeque<>();

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
     * Prepares the relay before its first grant: leaves are checked, and wait until it is accepted as by {@link
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

    private static Expected expected(Block offered, ByteRange wanted, Chunk chunk) {
        long from = offered.range().offset();
        return new Expected(chunk, from, wanted.end() - from, wanted.offset());
    }

    /** Keeps only the first {@code length} bytes of the block for this relay. */
    public void shorten(long length) {
        Expected what = require();
        if (length < what.length()) {
            shortened = true;
            expected = new Expected(what.chunk(), what.from(), length, what.wantedFrom());
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
        Expected what = require();
        return what.chunk().range().offset() + what.from();
    }

    public long length() {
        return require().length();
    }

    private Expected require() {
        Expected what = expected;
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
            checked.forEach(ByteBuf::release);
            checked.clear();
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
        Expected what = expected;
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

    /** Checks a leaf at once, before its turn. After one corrupt leaf, every other counts as corrupt. */
    private void arrived(ByteBuf payload) {
        boolean right = false;
        try {
            right = !closed && !corrupt && isRight(payload);
        } finally {
            if (!right) {
                payload.release();
            }
        }
        if (right) {
            checked.add(payload);
            advance();
        }
    }

    private boolean isRight(ByteBuf payload) {
        Expected what = require(); // once: it may be shortened meanwhile
        if (checkedBytes >= what.length()) {
            return false; // the relay was shortened after the sender learned its length: harmless
        }
        corrupt = true;
        corrupt = !isLeaf(what, payload);
        return !corrupt;
    }

    /** Hands on the verified leaves whose turn has come. */
    private void advance() {
        if (isExpected() && !accepted && !closed) {
            return;
        }
        for (ByteBuf leaf = checked.poll(); leaf != null; leaf = checked.poll()) {
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

    private boolean isLeaf(Expected what, ByteBuf payload) {
        Chunk chunk = what.chunk();
        int bytes = payload.readableBytes();
        long offset = checkedBytes;
        long due = Math.min(chunk.leafSizeBytes(), what.length() - offset);
        if (bytes != due) {
            owner.relayFailed(
                    this,
                    new CloudMwException(
                            ErrorCode.PROTOCOL_VIOLATION,
                            "chunk=" + chunk.id() + ": frame of " + bytes + " bytes (expected: a leaf of " + due
                                    + ")"));
            return false;
        }
        checkedBytes = offset + bytes;
        // Leaves that are not wanted now never will be: a relay only gets shorter.
        return !what.wants(offset) || matches(chunk, what.from() + offset, payload);
    }

    private boolean matches(Chunk chunk, long at, ByteBuf payload) {
        ByteBuffer leaf = payload.nioBuffer();
        sha256.update(leaf.duplicate());
        int index = Math.toIntExact(at / chunk.leafSizeBytes());
        if (!chunk.leaves().matches(index, sha256.digest())) {
            owner.leafCorrupt(
                    this,
                    new CloudMwException(
                            ErrorCode.REPLICA_CORRUPT,
                            "chunk=" + chunk.id() + " store=" + offer.store() + " leaf=" + index
                                    + ": SHA-256 does not match"));
            return false;
        }
        owner.verified(chunk, at, leaf);
        return true;
    }

    private boolean write(ByteBuf payload) {
        Expected what = require();
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
