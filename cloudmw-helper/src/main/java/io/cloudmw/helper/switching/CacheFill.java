package io.cloudmw.helper.switching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.WantedBlock;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The filling of the cache with one block, which no reader gets. Leaves that are missing are fetched as for a
 * reader; the fill holds no memory for a leaf that is kept. Safe for any thread.
 */
public final class CacheFill extends LeafSubscriber {
    /**
     * The listener of a fill, which hears once, on any thread, how it ended, unless it was cancelled; must not block.
     */
    @FunctionalInterface
    public interface Listener {
        /**
         * The fill is over.
         *
         * @param cause why a leaf is missing; empty when all leaves came
         */
        void ended(Outcome outcome, Optional<CloudMwException> cause);
    }

    /**
     * The sources of a block's bytes.
     *
     * @param keptBytes cached here before
     * @param parentBytes from switches above this one
     * @param stores requests to stores, and their bytes; requests that brought nothing do not count
     */
    public record Outcome(long keptBytes, long parentBytes, Map<StoreId, StoreUsage> stores) {
        public Outcome {
            stores = Map.copyOf(stores);
        }

        /** An outcome without a fetch: this many bytes were cached. */
        public static Outcome ofKept(long bytes) {
            return new Outcome(bytes, 0, Map.of());
        }
    }

    private final SharedFetcher fetcher;
    private final Listener listener;

    /** Leaves that are kept. */
    @GuardedBy("this")
    private final BitSet here = new BitSet();

    @GuardedBy("this")
    private final Map<StoreId, StoreUsage> stores = new HashMap<>();

    /** Sources that brought a leaf. */
    @GuardedBy("this")
    private final Set<FetchSource> sources = new HashSet<>();

    @GuardedBy("this")
    private long keptBytes;

    @GuardedBy("this")
    private long parentBytes;

    @GuardedBy("this")
    private @Nullable CloudMwException failure;

    @GuardedBy("this")
    private State state = State.ASKING;

    private enum State {
        /** Missing leaves are still being asked for: the listener hears nothing yet. */
        ASKING,
        /** All missing leaves are on their way. */
        WAITING,
        /** The listener was told, or the fill was cancelled. */
        OVER
    }

    CacheFill(SharedFetcher fetcher, WantedBlock block, StoreId store, Listener listener) {
        super(block, store);
        this.fetcher = fetcher;
        this.listener = listener;
    }

    @Override
    boolean waitsForTheCache() {
        return true;
    }

    @Override
    void begun() {
        // The fill waits for leaves only.
    }

    /** Notes that a leaf is kept already. */
    synchronized void kept(int index) {
        if (!here.get(index)) {
            here.set(index);
            keptBytes += block().leaves().length(index);
        }
    }

    /** Notes that all missing leaves are on their way. */
    void asked() {
        synchronized (this) {
            if (state == State.ASKING) {
                state = State.WAITING;
            }
        }
        tell();
    }

    @Override
    void arrived(int index, Leaf leaf, FetchSource from) {
        boolean expected = expects(index, leaf.length(), leaf.crc32c());
        leaf.release();
        if (expected) {
            count(index, from);
        }
    }

    private synchronized void count(int index, FetchSource from) {
        if (here.get(index)) {
            return;
        }
        here.set(index);
        int bytes = block().leaves().length(index);
        Optional<StoreId> store = from.store();
        if (store.isPresent()) {
            stores.merge(store.get(), StoreUsage.ofReads(sources.add(from) ? 1 : 0, bytes), StoreUsage::plus);
            fetcher.switchMeters().warmed(bytes);
        } else if (from.isParent()) {
            parentBytes += bytes;
            fetcher.switchMeters().warmed(bytes);
        } else {
            keptBytes += bytes;
        }
    }

    @Override
    void failed(CloudMwException cause) {
        synchronized (this) {
            if (failure == null) {
                failure = cause;
            }
        }
        tell();
    }

    /** Ends the fill; the listener hears nothing more. */
    public void cancel() {
        synchronized (this) {
            state = State.OVER;
        }
        fetcher.leave(this);
    }

    @Override
    void tell() {
        Outcome outcome;
        @Nullable CloudMwException cause;
        synchronized (this) {
            boolean whole = here.cardinality() == block().leaves().leaves();
            cause = whole ? null : failure;
            if (state != State.WAITING || (!whole && cause == null)) {
                return;
            }
            state = State.OVER;
            outcome = new Outcome(keptBytes, parentBytes, stores);
        }
        fetcher.leave(this);
        listener.ended(outcome, Optional.ofNullable(cause));
    }
}
