package io.cloudmw.helper.switching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.LeavesBlock;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.BlockAttempt;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An attempt of one reader: its block, assembled from cached leaves and from leaves that {@link SharedFetch}es bring.
 * Leaves arrive in any order and are told in theirs. Safe for any thread; the listener hears one event at a time.
 */
final class ReaderAttempt extends LeafSubscriber implements BlockAttempt {
    private static final Logger LOG = LoggerFactory.getLogger(ReaderAttempt.class);

    private final SharedFetcher fetcher;
    private final Listener listener;
    private final LeavesBlock growing;
    private final AtomicInteger toTell = new AtomicInteger();

    @GuardedBy("this")
    private final BitSet here = new BitSet();

    @GuardedBy("this")
    private long wantedBytes;

    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private @Nullable End end;

    /** The outcome of the attempt. */
    private enum Outcome {
        FINISHED,
        FAILED,
        CANCELLED
    }

    private record End(Outcome outcome, @Nullable CloudMwException cause) {}

    // The events that the listener has heard. Confined to the telling thread.
    private boolean beginTold;
    private boolean endTold;
    private long bytesTold;

    ReaderAttempt(SharedFetcher fetcher, WantedBlock block, StoreId store, Listener listener) {
        super(block, store);
        this.fetcher = fetcher;
        this.listener = listener;
        this.growing = new LeavesBlock(block);
        this.wantedBytes = block.length();
    }

    @Override
    boolean waitsForTheCache() {
        return false;
    }

    @Override
    void begun() {
        synchronized (this) {
            begun = true;
        }
        tell();
    }

    @Override
    void arrived(int index, Leaf leaf, FetchSource from) {
        arrived(index, leaf);
    }

    /** Takes over a reference to a leaf, wherever it came from. */
    void arrived(int index, Leaf leaf) {
        if (!expects(index, leaf.length(), leaf.crc32c())) {
            leaf.release();
            return;
        }
        growing.put(index, leaf);
        synchronized (this) {
            begun = true;
            if (!here.get(index)) {
                here.set(index);
                fetcher.cacheMeters().served(block().leaves().length(index));
                growing.advance(prefixBytes());
            }
            finishIfEnough();
        }
    }

    @GuardedBy("this")
    private long prefixBytes() {
        int leaves = here.nextClearBit(0);
        return leaves == block().leaves().leaves()
                ? block().length()
                : block().leaves().offset(leaves);
    }

    @GuardedBy("this")
    private void finishIfEnough() {
        if (end == null && growing.availableBytes() >= wantedBytes) {
            end = new End(Outcome.FINISHED, null);
        }
    }

    @Override
    void failed(CloudMwException cause) {
        end(Outcome.FAILED, cause);
    }

    @Override
    public void cancel() {
        end(Outcome.CANCELLED, null);
    }

    private void end(Outcome outcome, @Nullable CloudMwException cause) {
        synchronized (this) {
            if (end == null) {
                end = new End(outcome, cause);
            }
        }
        tell();
    }

    @Override
    public boolean expire(CloudMwException cause) {
        synchronized (this) {
            if (begun || end != null) {
                return false;
            }
            end = new End(Outcome.FAILED, cause);
        }
        tell();
        return true;
    }

    /** Bytes that arrived, from any source. */
    @Override
    public long bytesRead() {
        return growing.availableBytes();
    }

    @Override
    public void shorten(long bytes) {
        synchronized (this) {
            wantedBytes = Math.min(wantedBytes, bytes);
            finishIfEnough();
        }
        tell();
    }

    /** Tells the listener; one thread does so at a time, also for those that call meanwhile. */
    @Override
    void tell() {
        if (toTell.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            try {
                tellOnce();
            } catch (RuntimeException | Error e) {
                broken(e);
            }
            seen = toTell.addAndGet(-seen);
        } while (seen != 0);
    }

    /** Ends an attempt whose listener threw, so that the telling thread comes to an end. */
    private void broken(Throwable defect) {
        LOG.error("{}: a reader failed by a defect", block(), defect);
        synchronized (this) {
            if (end == null) {
                end = new End(Outcome.FAILED, CloudMwException.ofDefect(block().toString(), defect));
            }
        }
        toTell.incrementAndGet();
    }

    private void tellOnce() {
        boolean started;
        @Nullable End ended;
        synchronized (this) {
            started = begun;
            ended = end;
        }
        if (endTold) {
            return;
        }
        if (started && !beginTold) {
            beginTold = true;
            listener.began(growing);
        }
        long bytes = growing.availableBytes();
        if (bytes > bytesTold) {
            bytesTold = bytes;
            listener.progressed(bytes);
        }
        if (ended != null) {
            endTold = true;
            fetcher.leave(this);
            tell(ended);
        }
    }

    private void tell(End ended) {
        if (ended.outcome() == Outcome.FINISHED) {
            listener.finished(growing);
            return;
        }
        long bytes = growing.availableBytes();
        growing.close();
        CloudMwException cause = ended.cause();
        if (cause != null) {
            listener.failed(cause, bytes);
        } else {
            listener.cancelled(bytes);
        }
    }
}
