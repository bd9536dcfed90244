package io.cloudmw.helper.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cost.Usage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.fetch.Leaf;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A block that is to be kept here, and given to nobody: what is not kept is fetched, as for a reader, and holds no memory
 * once it is where it stays. Safe for any thread.
 */
public final class Keeping extends Reader {
    /** Told once how it ended, by any thread, unless it was cancelled; must not block. */
    @FunctionalInterface
    public interface Listener {
        /**
         * It is over.
         *
         * @param cause empty: all that was missing came
         */
        void ended(Outcome outcome, Optional<CloudMwException> cause);
    }

    /**
     * Where the bytes were.
     *
     * @param keptBytes here
     * @param parentBytes came from switches above this one
     * @param stores what was asked of stores; only requests that brought something
     */
    public record Outcome(long keptBytes, long parentBytes, Map<StoreId, Usage> stores) {
        public Outcome {
            stores = Map.copyOf(stores);
        }

        /** So many bytes are here, and nothing came. */
        public static Outcome ofKept(long bytes) {
            return new Outcome(bytes, 0, Map.of());
        }
    }

    private final SharedFetching fetching;
    private final Listener listener;

    @GuardedBy("this")
    private final BitSet here = new BitSet();

    @GuardedBy("this")
    private final Map<StoreId, Usage> stores = new HashMap<>();

    /** Those that brought something. */
    @GuardedBy("this")
    private final Set<Stop> requests = new HashSet<>();

    @GuardedBy("this")
    private long keptBytes;

    @GuardedBy("this")
    private long parentBytes;

    @GuardedBy("this")
    private @Nullable CloudMwException failure;

    /** All that is not kept has been asked for: until then nothing is told. */
    @GuardedBy("this")
    private boolean asked;

    @GuardedBy("this")
    private boolean over;

    Keeping(SharedFetching fetching, WantedBlock block, StoreId store, Listener listener) {
        super(block, store);
        this.fetching = fetching;
        this.listener = listener;
    }

    @Override
    boolean isLast() {
        return true;
    }

    @Override
    void begun() {
        // Of no interest.
    }

    /** This leaf is kept already. */
    synchronized void kept(int index) {
        if (!here.get(index)) {
            here.set(index);
            keptBytes += block().leaves().length(index);
        }
    }

    /** All leaves that are missing are on their way. */
    void asked() {
        synchronized (this) {
            asked = true;
        }
        tell();
    }

    @Override
    void arrived(int index, Leaf leaf, Stop from) {
        boolean expected = expects(index, leaf.length(), leaf.crc32c());
        leaf.release();
        if (expected) {
            count(index, from);
        }
    }

    private synchronized void count(int index, Stop from) {
        if (here.get(index)) {
            return;
        }
        here.set(index);
        int bytes = block().leaves().length(index);
        Optional<StoreId> store = from.store();
        if (store.isPresent()) {
            stores.merge(store.get(), Usage.ofReads(requests.add(from) ? 1 : 0, bytes), Usage::plus);
            fetching.trees().warmed(bytes);
        } else if (from.isParent()) {
            parentBytes += bytes;
            fetching.trees().warmed(bytes);
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

    /** It is not wanted any longer; nothing is told of it. */
    public void cancel() {
        synchronized (this) {
            over = true;
        }
        fetching.leave(this);
    }

    @Override
    void tell() {
        Outcome outcome;
        @Nullable CloudMwException cause;
        synchronized (this) {
            boolean whole = here.cardinality() == block().leaves().leaves();
            cause = whole ? null : failure;
            if (!asked || over || (!whole && cause == null)) {
                return;
            }
            over = true;
            outcome = new Outcome(keptBytes, parentBytes, stores);
        }
        fetching.leave(this);
        listener.ended(outcome, Optional.ofNullable(cause));
    }
}
