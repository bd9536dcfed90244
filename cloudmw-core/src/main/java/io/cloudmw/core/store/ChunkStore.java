package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import java.io.Closeable;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * A place that keeps chunks. Chunks are immutable: a chunk is written once, whole, and then only read or
 * deleted.
 *
 * <p>Calls block the calling thread; a store is used by many threads at once. Every failure is a
 * {@link CloudMwException} translated at the store's edge: {@link ErrorCode#REPLICA_MISSING},
 * {@link ErrorCode#STORE_UNAVAILABLE}, {@link ErrorCode#STORE_DENIED}, {@link ErrorCode#STORE_FULL},
 * {@link ErrorCode#CANCELLED} (the thread was interrupted or the reader closed) or
 * {@link ErrorCode#INVALID_ARGUMENT}. Stores do not verify content: see {@link LeafVerifier}.
 */
public interface ChunkStore extends Closeable {
    StoreId id();

    /**
     * Opens {@code range} of a chunk for streaming. The range must lie within the chunk; an empty range gives a
     * reader that is at its end. A remote store answers at once and asks for the bytes at the first
     * {@link ChunkReader#read}, so that waiting for a slow store can be cut short by {@link ChunkReader#close}.
     *
     * @throws CloudMwException {@code REPLICA_MISSING} when there is no such chunk; {@code INVALID_ARGUMENT} when
     *     the range goes beyond it. Either may be thrown by the first {@link ChunkReader#read} instead
     */
    ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException;

    /**
     * As {@link #read}, for a read that makes up for one that is late: it does not wait for what ordinary reads hold,
     * where a store has connections.
     */
    default ChunkReader readExtra(ChunkId chunk, ByteRange range) throws CloudMwException {
        return read(chunk, range);
    }

    /**
     * As {@link #read}, for a caller that will send the range from its {@link #file} and has no use for a copy: the bytes
     * are brought into memory, so that who sends them does not wait for a disk, and counted against the buffers they are
     * read into, but what these then hold may be anything.
     */
    default ChunkReader readAhead(ChunkId chunk, ByteRange range) throws CloudMwException {
        return read(chunk, range);
    }

    /**
     * Writes a whole chunk durably, or nothing: after a failure or crash at any point the chunk is either absent
     * or whole. Writing a chunk that is already there is a success that changes nothing
     * ({@link PutOutcome#EXISTED}); two writers at once both succeed and one of them wrote.
     *
     * @param source read once, or again from the start when a try is repeated; not closed here
     * @throws CloudMwException {@code STORE_FULL} when it would use the reserve the store keeps free
     */
    PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException;

    /** Bytes of a chunk; empty when there is no such chunk. */
    OptionalLong length(ChunkId chunk) throws CloudMwException;

    /** Deletes a chunk; false when there was none. */
    boolean delete(ChunkId chunk) throws CloudMwException;

    /**
     * Deletes a chunk in time: whoever is held up after {@code isOver} said no, for however long, must not delete what somebody
     * puts there later. A disk asks immediately before; a bucket refuses what was signed more than 15 minutes before it comes, and
     * this is signed before it is asked.
     *
     * @return false when there was none
     * @throws CloudMwException {@code DEADLINE_EXCEEDED} when it is over: nothing was deleted
     */
    default boolean delete(ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
        requireTime(this, chunk, isOver);
        return delete(chunk);
    }

    /** Throws {@code DEADLINE_EXCEEDED} when it is over. */
    static void requireTime(ChunkStore store, ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
        if (isOver.getAsBoolean()) {
            throw new CloudMwException(
                    ErrorCode.DEADLINE_EXCEEDED, "chunk=" + chunk + " store=" + store.id() + ": its time was over");
        }
    }

    /**
     * Lists chunks in the order of their names, with their lengths.
     *
     * @param pageToken as the last page gave it; empty from the start
     * @param limit 1..1000
     */
    Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException;

    /**
     * The file that holds exactly this chunk, where the store keeps one on this machine: the bulk plane sends
     * from it without copying. The caller only reads it. Decorators that must see every byte answer empty.
     */
    default Optional<Path> file(ChunkId chunk) {
        return Optional.empty();
    }

    /** Refuses every call from now on, and releases what it holds; readers still open may go on or fail. Idempotent. */
    @Override
    void close();
}
