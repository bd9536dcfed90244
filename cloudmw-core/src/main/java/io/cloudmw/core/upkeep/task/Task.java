package io.cloudmw.core.upkeep.task;

import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.security.TransferRight;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Something a helper is to do with one copy; doing it again changes nothing. The owner of a disk does what is done to it,
 * any helper what is done to a bucket. Immutable.
 */
public sealed interface Task {
    /** Whose copy it is. */
    Chunk chunk();

    /** Where that copy is, or goes. */
    Store store();

    /** All stores it touches. */
    default List<Store> stores() {
        return List.of(store());
    }

    /** Of the volume it belongs to. */
    FilePath file();

    /** What its helper may do to the chunk. */
    Set<TransferRight> rights();

    /** The lower, the sooner. */
    int urgency();

    /** Names the copy: two tasks about one copy are never under way at once. */
    default String copy() {
        return chunk().id() + "/" + store().id();
    }

    /** Read a copy and check every leaf of it. */
    record Verify(Chunk chunk, Store store, FilePath file) implements Task {
        /** After all that repairs. */
        private static final int URGENCY = 100;

        @Override
        public Set<TransferRight> rights() {
            return Set.of(TransferRight.READ);
        }

        @Override
        public int urgency() {
            return URGENCY;
        }
    }

    /**
     * Make a copy. If the store has the chunk already and it is right, nothing is written; if it is not, it is replaced.
     *
     * @param sources where good ones are
     * @param good how many there are: the fewer, the more urgent
     */
    record Copy(Chunk chunk, Store store, FilePath file, List<Store> sources, int good) implements Task {
        public Copy {
            sources = List.copyOf(sources);
        }

        @Override
        public List<Store> stores() {
            List<Store> all = new ArrayList<>(sources);
            all.add(store);
            return all;
        }

        @Override
        public Set<TransferRight> rights() {
            return Set.of(TransferRight.READ, TransferRight.WRITE);
        }

        @Override
        public int urgency() {
            return good;
        }
    }
}
