package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.TransferRight;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Something a helper is to do with a store, or one copy in it; doing it again changes nothing. The owner of a disk does what is
 * done to it, any helper what is done to a bucket. Immutable.
 */
public sealed interface Task {
    /** The urgency of what is done after all that repairs. */
    int LAST = 100;

    /** Where it is done. */
    Store store();

    /** The lower, the sooner. */
    int urgency();

    /** What it is about, at least one thing: two tasks about one thing are never under way at once. */
    List<String> keys();

    /** Names it in logs. */
    default String about() {
        return keys().get(0);
    }

    /** How many it moves, reads or writes: it may take the longer. */
    default long bytes() {
        return 0;
    }

    /** Leaves whose digests it carries. */
    default int leaves() {
        return 0;
    }

    /** The key of a copy. */
    static String copy(ChunkId chunk, StoreId store) {
        return chunk + "/" + store;
    }

    /** About one copy of a chunk of a current version. */
    sealed interface OfCopy extends Task {
        Chunk chunk();

        /** Of the volume it belongs to. */
        FilePath file();

        /** What its helper may do to the chunk. */
        Set<TransferRight> rights();

        /** All stores it touches. */
        default List<Store> stores() {
            return List.of(store());
        }

        default String copy() {
            return Task.copy(chunk().id(), store().id());
        }

        @Override
        default List<String> keys() {
            return List.of(copy());
        }

        @Override
        default long bytes() {
            return chunk().range().length();
        }

        @Override
        default int leaves() {
            return chunk().leaves().count();
        }
    }

    /**
     * List what lies in a store, a page of at most {@value #PAGE} chunks.
     *
     * @param after as the page before gave it; empty from the start
     */
    record Survey(Store store, String after) implements Task {
        public static final int PAGE = 1000;

        @Override
        public int urgency() {
            return LAST;
        }

        @Override
        public List<String> keys() {
            return List.of("survey/" + store.id());
        }
    }

    /** Say which of these chunks lie in a store: the others are not there, whatever the catalog says. */
    record Look(Store store, List<ChunkId> chunks) implements Task {
        /** Chunks of one task. */
        public static final int MOST_CHUNKS = 500;

        public Look {
            chunks = List.copyOf(chunks);
            if (chunks.isEmpty() || chunks.size() > MOST_CHUNKS) {
                throw new IllegalArgumentException(
                        "chunks: " + chunks.size() + " (expected: 1 to " + MOST_CHUNKS + ")");
            }
        }

        /** Before all else: what it finds missing may be the last copy but one. */
        @Override
        public int urgency() {
            return 0;
        }

        @Override
        public List<String> keys() {
            return List.of("look/" + store.id() + "/" + chunks.get(0));
        }
    }

    /** Delete copies, those of them that are there. */
    record Delete(Store store, List<ChunkId> chunks) implements Task {
        public Delete {
            chunks = List.copyOf(chunks);
            if (chunks.isEmpty()) {
                throw new IllegalArgumentException("chunks: 0 (expected: >= 1)");
            }
        }

        @Override
        public int urgency() {
            return LAST;
        }

        @Override
        public List<String> keys() {
            return chunks.stream().map(chunk -> Task.copy(chunk, store.id())).toList();
        }
    }

    /** Read a copy and check every leaf of it. */
    record Verify(Chunk chunk, Store store, FilePath file) implements OfCopy {
        @Override
        public Set<TransferRight> rights() {
            return Set.of(TransferRight.READ);
        }

        @Override
        public int urgency() {
            return LAST;
        }
    }

    /**
     * Make a copy. If the store has the chunk already and it is right, nothing is written; if it is not, it is replaced.
     *
     * @param sources where good ones are
     * @param good how many there are: the fewer, the more urgent
     */
    record Copy(Chunk chunk, Store store, FilePath file, List<Store> sources, int good) implements OfCopy {
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
