package io.cloudmw.helper.switching;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.LeavesBlock;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.remote.HelperConnections;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An attempt that gets a block from a switch above this one. No thread waits for it: a thread only stores the leaves
 * that came. So switches that wait for each other's bytes never wait for each other's threads. The buffers in which
 * leaves come are kept, not copied. Private methods run on the attempt's serial executor.
 */
final class ParentAttempt implements BlockAttempt, BulkStreamListener {
    private static final Logger LOG = LoggerFactory.getLogger(ParentAttempt.class);

    /** Bytes requested and not stored yet, if the windows' budget has room for them; otherwise one leaf. */
    static final long WINDOW_BYTES = 1 << 20;

    private static final byte[] NO_TRAILER = {};

    private final String parent;
    private final WantedBlock block;
    private final LeafRange leaves;
    private final Listener listener;
    private final LeavesBlock growing;
    private final LeafMemory.LeafWriter writer;
    private final ByteBudget windows;
    private final SerialExecutor serial;
    private volatile long wantedBytes;
    private HelperConnections.@Nullable Lease lease;
    private @Nullable BulkStream stream;
    private int landed;
    private long grantedBytes;
    /** Bytes taken of the windows' budget. */
    private long takenBytes;

    private boolean over;

    /**
     * Asks no source yet.
     *
     * @param parent the switch that is asked, for messages
     * @param room the allocator of the leaves; the threads do not wait for room, since other attempts need them
     * @param windows bytes that all attempts together may have requested and not stored yet, besides a leaf each
     * @param threads may block
     */
    ParentAttempt(
            String parent,
            WantedBlock block,
            Listener listener,
            LeafMemory room,
            ByteBudget windows,
            Executor threads) {
        this.parent = parent;
        this.block = block;
        this.leaves = block.leaves();
        this.listener = listener;
        this.growing = new LeavesBlock(block);
        this.writer = room.withoutWaiting().writer(growing);
        this.windows = windows;
        this.wantedBytes = block.length();
        this.serial = new SerialExecutor(threads, this::broken);
    }

    /** Asks as soon as there is a connection. */
    void ask(CompletableFuture<HelperConnections.Lease> connecting, byte[] request) {
        var unused = connecting.whenComplete((made, failure) -> serial.execute(() -> {
            if (made != null) {
                connected(made, request);
            } else if (failure != null) {
                Throwable why = Reasons.unwrapped(failure);
                fail(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, what() + why.getMessage(), why));
            }
        }));
    }

    /** Fails the attempt. */
    void refuse(CloudMwException cause) {
        serial.execute(() -> fail(cause));
    }

    private String what() {
        return block + " from switch " + parent + ": ";
    }

    private void connected(HelperConnections.Lease made, byte[] request) {
        if (over) {
            made.close();
            return;
        }
        lease = made;
        listener.began(growing);
        stream = made.connection().open(request, this);
        grant(leaves.length(0) + window());
    }

    /** The window beyond the first leaf. */
    private long window() {
        long bytes = Math.min(Math.max(WINDOW_BYTES, 2L * leaves.leafSizeBytes()), block.length()) - leaves.length(0);
        takenBytes = windows.tryTake(bytes) ? bytes : 0;
        return takenBytes;
    }

    private void grant(long bytes) {
        BulkStream open = stream;
        long more = Math.min(bytes, block.length() - grantedBytes);
        if (open != null && more > 0) {
            grantedBytes += more;
            open.grant(more);
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        serial.execute(() -> land(payload, crc32c));
    }

    private void land(ByteBuf payload, int crc32c) {
        if (over) {
            payload.release();
            return;
        }
        int leaf = landed;
        // The connection has checked that the checksum is that of the payload.
        if (leaf == leaves.leaves()
                || payload.readableBytes() != leaves.length(leaf)
                || crc32c != leaves.crc32c(leaf)) {
            payload.release();
            spoiled("leaf " + leaf + " has another length or checksum than the manifest's");
            return;
        }
        try {
            writer.take(leaf, payload);
        } catch (CloudMwException e) {
            end();
            listener.noRoom(e, growing.availableBytes());
            return;
        }
        landed = leaf + 1;
        long bytes = leaves.offset(leaf) + leaves.length(leaf);
        growing.advance(bytes);
        listener.progressed(bytes);
        if (!finishIfEnough()) {
            grant(leaves.length(leaf));
        }
    }

    private boolean finishIfEnough() {
        boolean enough = !over && growing.availableBytes() >= wantedBytes;
        if (enough) {
            over = true;
            if (landed < leaves.leaves()) {
                stop();
            }
            letGo();
            listener.finished(growing);
        }
        return enough;
    }

    @Override
    public void ended(byte[] trailer) {
        serial.execute(() -> {
            BulkStream open = stream;
            if (open != null) {
                open.end(NO_TRAILER);
            }
            fail(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, what() + "ended after " + landed + " leaves"));
        });
    }

    @Override
    public void granted() {
        // This side sends nothing.
    }

    @Override
    public void failed(CloudMwException cause) {
        serial.execute(() -> fail(cause.during(block + " from switch " + parent)));
    }

    @Override
    public void damaged(CloudMwException cause) {
        serial.execute(() -> spoiled(String.valueOf(cause.getMessage())));
    }

    /** Fails the attempt because the parent sent wrong bytes; the parent is told, and counts as unavailable. */
    private void spoiled(String why) {
        BulkStream open = stream;
        if (open != null) {
            open.reset(ErrorCode.REPLICA_CORRUPT, why);
        }
        fail(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, what() + why));
    }

    @Override
    public void cancel() {
        serial.execute(() -> {
            if (!over) {
                end();
                listener.cancelled(growing.availableBytes());
            }
        });
    }

    private void fail(CloudMwException cause) {
        if (!over) {
            LOG.debug("{}", cause.getMessage());
            end();
            listener.failed(cause, growing.availableBytes());
        }
    }

    private void broken(Throwable defect) {
        LOG.error("{} failed by a defect", what(), defect);
        fail(CloudMwException.ofDefect(what(), defect));
    }

    private void end() {
        over = true;
        stop();
        growing.close();
        letGo();
    }

    private void stop() {
        BulkStream open = stream;
        if (open != null) {
            open.reset(ErrorCode.CANCELLED, "no longer wanted");
        }
    }

    private void letGo() {
        writer.close();
        windows.giveBack(takenBytes);
        takenBytes = 0;
        HelperConnections.Lease held = lease;
        if (held != null) {
            held.close();
        }
    }

    /** Returns false: this attempt waits for no thread. */
    @Override
    public boolean expire(CloudMwException cause) {
        return false;
    }

    @Override
    public long bytesRead() {
        return growing.availableBytes();
    }

    @Override
    public void shorten(long bytes) {
        serial.execute(() -> {
            wantedBytes = Math.min(wantedBytes, bytes);
            boolean unused = finishIfEnough();
        });
    }
}
