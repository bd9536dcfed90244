package io.cloudmw.client.read.direct;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.read.relay.RelaySource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.monitor.ReadProbe;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.store.http.RangeGet;
import io.cloudmw.core.store.http.RangeListener;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An in-process attempt at a bucket's replica for a block with one entrant: its leaves are relayed while they come from
 * the store, through memory. The store is read only as far as the relay has credit, apart from one receive buffer.
 * Leaves are not checked here, since the relay checks each.
 */
final class DirectStream implements LocalAttempt, RangeListener, RelaySource {
    /** Leaves between two reports; the destination counts the leaves themselves. */
    private static final int LEAVES_PER_REPORT = 8;

    /** Offers the block; called once, on an event loop. */
    interface Offering {
        RelayReceiver offer(DirectStream attempt);
    }

    private enum State {
        READING,
        FINISHED,
        FAILED
    }

    private final AttemptId id;
    private final Block block;
    private final ManifestReader.Item item;
    private final StoreId store;
    private final DirectStores stores;
    private final Executor threads;
    private final OrderedReports told;
    private final Offering offering;
    private volatile @Nullable ReadProbe probe;
    /** Bytes that came from the store. */
    private final AtomicLong received = new AtomicLong();

    @GuardedBy("this")
    private State state = State.READING;

    @GuardedBy("this")
    private @Nullable RangeGet get;

    @GuardedBy("this")
    private @Nullable RelayReceiver relay;

    @GuardedBy("this")
    private boolean renewed;

    @GuardedBy("this")
    private long credit;

    /** All credit so far. */
    @GuardedBy("this")
    private long granted;

    @GuardedBy("this")
    private long passed;

    /** Whole leaves that wait for credit; no more than a receive buffer holds. */
    @GuardedBy("this")
    private final Deque<ByteBuf> ready = new ArrayDeque<>();

    /** The leaf that is arriving. */
    @GuardedBy("this")
    private @Nullable ByteBuf partial;

    @GuardedBy("this")
    private long assembled;

    DirectStream(
            AttemptId id,
            Block block,
            ManifestReader.Item item,
            StoreId store,
            DirectStores stores,
            Executor threads,
            Reports reports) {
        this.id = id;
        this.block = block;
        this.item = item;
        this.store = store;
        this.stores = stores;
        this.threads = threads;
        this.told = new OrderedReports(this, reports.listener());
        this.offering = reports.offering();
    }

    /** The receivers of an attempt's news and of its block. */
    record Reports(Listener listener, Offering offering) {}

    @Override
    public AttemptId id() {
        return id;
    }

    @Override
    public Block block() {
        return block;
    }

    @Override
    public Chunk chunk() {
        return item.chunk().chunk();
    }

    @Override
    public StoreId store() {
        return store;
    }

    @Override
    public long bytes() {
        return received.get();
    }

    // ---- the request

    @Override
    public void run() {
        try {
            stores.sign(store, item);
            told.began();
            probe = stores.probe(store, block.range().length());
            RangeGet sent = stores.bucket(store, item).get(chunk().id(), block.range(), this);
            boolean isOver;
            long early;
            synchronized (this) {
                get = sent;
                early = credit;
                isOver = state != State.READING;
            }
            if (isOver) {
                sent.cancel();
            } else if (early > 0) {
                sent.request(early);
            }
        } catch (CloudMwException | RuntimeException | Error e) {
            failed(Failures.of(e));
        }
    }

    @Override
    public void began(long chunkLength) {
        stores.answered(store);
        synchronized (this) {
            if (state != State.READING) {
                return;
            }
        }
        RelayReceiver offered = offering.offer(this);
        synchronized (this) {
            relay = offered;
        }
        pass();
    }

    @Override
    public void data(ByteBuf bytes) {
        ReadProbe measuring = probe;
        if (measuring != null) {
            measuring.arrived(bytes.readableBytes());
        }
        received.addAndGet(bytes.readableBytes());
        try {
            assemble(bytes);
        } finally {
            bytes.release();
        }
        pass();
    }

    private synchronized void assemble(ByteBuf bytes) {
        while (state == State.READING && bytes.isReadable()) {
            ByteBuf leaf = partial;
            if (leaf == null) {
                int length =
                        (int) Math.min(chunk().leafSizeBytes(), block.range().length() - assembled);
                leaf = stores.allocator().directBuffer(length, length);
                partial = leaf;
            }
            int count = Math.min(leaf.writableBytes(), bytes.readableBytes());
            leaf.writeBytes(bytes, count);
            assembled += count;
            if (!leaf.isWritable()) {
                ready.add(leaf);
                partial = null;
            }
        }
    }

    /** Passes on the leaves for which there is credit. */
    private void pass() {
        boolean reports = false;
        synchronized (this) {
            RelayReceiver target = relay;
            ByteBuf leaf = ready.peek();
            while (target != null && leaf != null && leaf.readableBytes() <= credit) {
                ready.remove();
                credit -= leaf.readableBytes();
                passed++;
                reports |= passed % LEAVES_PER_REPORT == 0;
                target.data(leaf, 0);
                leaf = ready.peek();
            }
        }
        if (reports) {
            told.progressed();
        }
    }

    @Override
    public void ended() {
        ReadProbe measuring = probe;
        if (measuring != null) {
            measuring.ended();
        }
        synchronized (this) {
            if (state != State.READING) {
                return;
            }
            state = State.FINISHED;
        }
        told.finished();
    }

    @Override
    public void failed(CloudMwException cause) {
        if (isExpired(cause)) {
            stores.renew(item);
            threads.execute(this);
            return;
        }
        CloudMwException reason = cause.code() == ErrorCode.INVALID_ARGUMENT
                ? new CloudMwException(
                        ErrorCode.REPLICA_CORRUPT,
                        "chunk=" + chunk().id() + " store=" + store + ": shorter than its manifest says",
                        cause)
                : cause;
        RelayReceiver target;
        synchronized (this) {
            target = relay;
        }
        if (end(reason) && target != null) {
            target.failed(reason);
        }
    }

    /** True once, when the URL had expired before the store was asked. */
    private synchronized boolean isExpired(CloudMwException cause) {
        boolean first = cause.verdict() == RetryVerdict.AFTER_REFRESH && relay == null && !renewed;
        renewed |= first;
        return first && state == State.READING;
    }

    /** Fails the attempt if it is under way. */
    private boolean end(CloudMwException cause) {
        synchronized (this) {
            if (state != State.READING) {
                return false;
            }
            state = State.FAILED;
            drop();
        }
        ReadProbe measuring = probe;
        if (measuring != null) {
            measuring.failed(cause.code());
        }
        stores.failed(store, cause);
        told.failed(cause);
        return true;
    }

    // ---- the relay

    @Override
    public void grant(long bytes) {
        RangeGet sent;
        boolean paused;
        synchronized (this) {
            paused = received.get() >= granted;
            credit += bytes;
            granted += bytes;
            sent = get;
        }
        ReadProbe measuring = probe;
        if (measuring != null && paused) {
            measuring.asked();
        }
        if (sent != null) {
            sent.request(bytes);
        }
        pass();
    }

    @Override
    public void finished() {
        // Everything was passed on.
    }

    @Override
    public void refuse(ErrorCode code, String message) {
        close();
    }

    @Override
    public void cancel() {
        RangeGet sent;
        synchronized (this) {
            if (assembled == block.range().length()) {
                return; // the answer is about to end, and its connection can be used again
            }
            sent = get;
        }
        if (sent != null) {
            sent.cancel();
        }
        boolean unused = end(
                new CloudMwException(ErrorCode.CANCELLED, "chunk=" + chunk().id() + " store=" + store + ": cancelled"));
    }

    @Override
    public void close() {
        cancel();
        synchronized (this) {
            drop();
            relay = null;
        }
    }

    @GuardedBy("this")
    private void drop() {
        ready.forEach(ByteBuf::release);
        ready.clear();
        ByteBuf leaf = partial;
        partial = null;
        if (leaf != null) {
            leaf.release();
        }
    }
}
