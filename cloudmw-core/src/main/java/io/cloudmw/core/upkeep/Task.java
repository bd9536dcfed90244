package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.TransferRight;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * An upkeep task for a helper, about a store or one copy in it. Repeating a task changes nothing. The owner of a disk
 * does the disk's tasks, any helper those of a bucket. Immutable.
 */
public sealed interface Task {
    /** The urgency of tasks that come after all repair. */
    int LAST = 100;

    /** Returns the store of the task. */
    Store store();

    /** Returns the urgency: lower values come first. */
    int urgency();

    /** Returns the keys of the task, at least one; two tasks with a common key are never under way at once. */
    List<String> keys();

    /** Returns a description for logs. */
    default String about() {
        return keys().get(0);
    }

    /** Returns how many bytes it moves, reads or writes; the time limit grows with them. */
    default long bytes() {
        return 0;
    }

    /** Returns how many leaf digests it carries. */
    default int leaves() {
        return 0;
    }

    /** Returns the key of a copy. */
    static String copy(ChunkId chunk, StoreId store) {
        return chunk + "/" + store;
    }

    /** A task about one copy of a chunk of a current version. */
    sealed interface OfCopy extends Task {
        Chunk chunk();

        /** Returns the file of the chunk. */
        FilePath file();

        /** Returns the helper's rights to the chunk. */
        Set<TransferRight> rights();

        /** Returns all stores it uses. */
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

    /** A task that reads a chunk from some store that has a good copy, and writes to its own store. */
    sealed interface FromSources extends OfCopy {
        /** Returns the stores with good copies. */
        List<Store> sources();

        @Override
        default List<Store> stores() {
            List<Store> all = new ArrayList<>(sources());
            all.add(store());
            return all;
        }

        @Override
        default Set<TransferRight> rights() {
            return Set.of(TransferRight.READ, TransferRight.WRITE);
        }
    }

    /**
     * The task to list a store, a page of at most {@value #PAGE} chunks.
     *
     * @param after the last chunk of the previous page; empty: from the start
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

    /** The task to check which of these chunks are in a store, whatever the catalog says. */
    record Look(Store store, List<ChunkId> chunks) implements Task {
        /** The most chunks of one task. */
        public static final int MOST_CHUNKS = 500;

        public Look {
            chunks = List.copyOf(chunks);
            if (chunks.isEmpty() || chunks.size() > MOST_CHUNKS) {
                throw new IllegalArgumentException(
                        "chunks: " + chunks.size() + " (expected: 1 to " + MOST_CHUNKS + ")");
            }
        }

        /** Returns the highest urgency: a missing copy may be the last but one. */
        @Override
        public int urgency() {
            return 0;
        }

        @Override
        public List<String> keys() {
            return List.of("look/" + store.id() + "/" + chunks.get(0));
        }
    }

    /** The task to delete copies; those that do not exist are ignored. */
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

    /** The task to read a copy and verify every leaf. */
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
     * The task to make a copy. If the store has a right copy already, nothing is written; a wrong one is replaced.
     *
     * @param sources stores with good copies
     * @param good how many good copies there are: the fewer, the more urgent
     */
    record Copy(Chunk chunk, Store store, FilePath file, List<Store> sources, int good) implements FromSources {
        public Copy {
            sources = List.copyOf(sources);
        }

        @Override
        public int urgency() {
            return good;
        }
    }

    /**
     * The task to write one copy of a new pack, with those bytes of another that files still need, and behind them where
     * they are from. All copies are equal, whichever helper makes them. A copy that the store has already is verified,
     * and a wrong one is replaced.
     *
     * @param chunk the other pack's
     * @param kept the ranges of that chunk that are kept, in order
     * @param place of the bytes in the new pack, as manifests name them
     */
    record Compact(
            Chunk chunk, Store store, FilePath file, List<Store> sources, List<ByteRange> kept, PackRelocation place)
            implements FromSources {
        public Compact {
            sources = List.copyOf(sources);
            kept = List.copyOf(kept);
            long bytes = 0;
            for (ByteRange range : kept) {
                if (range.end() > chunk.range().length()) {
                    throw new IllegalArgumentException("range: " + range + " (expected: within "
                            + chunk.range().length() + " bytes)");
                }
                bytes += range.length();
            }
            if (bytes != place.keptBytes()) {
                throw new IllegalArgumentException("kept: " + bytes + " bytes (expected: " + place.keptBytes() + ")");
            }
        }

        @Override
        public List<String> keys() {
            return List.of(Task.copy(place.chunk(), store.id()));
        }

        @Override
        public int urgency() {
            return LAST;
        }
    }
}
