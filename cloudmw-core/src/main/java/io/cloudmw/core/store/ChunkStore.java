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
 * A place that keeps chunks. Chunks are immutable: a chunk is written once, whole, and then only read or deleted.
 *
 * <p>Calls block the calling thread; many threads use a store at once. Every failure is a {@link CloudMwException}
 * translated at the store's edge: {@link ErrorCode#REPLICA_MISSING}, {@link ErrorCode#STORE_UNAVAILABLE}, {@link
 * ErrorCode#STORE_DENIED}, {@link ErrorCode#STORE_FULL}, {@link ErrorCode#CANCELLED} (the thread was interrupted or
 * the reader closed) or {@link ErrorCode#INVALID_ARGUMENT}. Stores do not verify content: see {@link StoreLeafVerifier}.
 */
public interface ChunkStore extends Closeable {
    StoreId id();

    /**
     * Opens {@code range} of a chunk for streaming. The range must lie within the chunk; an empty range gives a reader
     * at its end. A remote store returns at once and sends its request at the first {@link ChunkReader#read}. So
     * {@link ChunkReader#close} can cut short the wait for a slow store.
     *
     * @throws CloudMwException {@code REPLICA_MISSING} when there is no such chunk; {@code INVALID_ARGUMENT} when the
     *     range goes beyond it. The first {@link ChunkReader#read} may throw either instead
     */
    ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException;

    /**
     * Opens a range like {@link #read}, for an extra read beside a late one: it does not wait for connections that
     * ordinary reads hold.
     */
    default ChunkReader readExtra(ChunkId chunk, ByteRange range) throws CloudMwException {
        return read(chunk, range);
    }

    /**
     * Opens a range like {@link #read}, for a caller that will send it from the chunk's {@link #file} and needs no
     * copy. Reads bring the bytes into the kernel's memory, so that sending does not wait for a disk. They advance the
     * buffers, whose content is then undefined.
     */
    default ChunkReader readAhead(ChunkId chunk, ByteRange range) throws CloudMwException {
        return read(chunk, range);
    }

    /**
     * Writes a whole chunk durably, or nothing: after a failure or crash at any point the chunk is either absent or
     * whole. Writing a chunk that exists succeeds and changes nothing ({@link PutOutcome#EXISTED}). Two writers at
     * once both succeed, and one of them wrote.
     *
     * @param source read once, or again from the start in a retry; the caller closes it
     * @throws CloudMwException {@code STORE_FULL} when it would use the reserve that the store keeps free
     */
    PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException;

    /**
     * Returns whether a put takes a source while it arrives. Other stores must know all bytes before they send the
     * first one: such a put of an incomplete source only waits.
     */
    default boolean takesArrivingSources() {
        return true;
    }

    /** The length of a chunk in bytes; empty when there is no such chunk, or it is a slice beyond the stored one. */
    OptionalLong length(ChunkId chunk) throws CloudMwException;

    /** Deletes a chunk; returns false when there was none. */
    boolean delete(ChunkId chunk) throws CloudMwException;

    /**
     * Deletes a chunk within a time limit. A caller that is held up after {@code isOver} returned false must not
     * delete what another process puts there later. A disk checks immediately before it deletes. A request to a bucket
     * is signed before the check, and the bucket refuses requests signed more than 15 minutes ago.
     *
     * @return false when there was none
     * @throws CloudMwException {@code DEADLINE_EXCEEDED} when the time is over: nothing was deleted
     */
    default boolean delete(ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
        requireTime(this, chunk, isOver);
        return delete(chunk);
    }

    /**
     * The place of a range in the stored chunk ({@link ChunkId#inStored}).
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it goes beyond the chunk's slice
     */
    static ByteRange inStored(ChunkStore store, ChunkId chunk, ByteRange range) throws CloudMwException {
        try {
            return chunk.inStored(range);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, e.getMessage() + " store=" + store.id(), e);
        }
    }

    /** The length of a chunk whose stored chunk has {@code storedBytes}; empty when its slice goes beyond it. */
    static OptionalLong length(ChunkId chunk, long storedBytes) {
        if (chunk.slice().isEmpty()) {
            return OptionalLong.of(storedBytes);
        }
        ByteRange slice = chunk.slice().get();
        return slice.end() <= storedBytes ? OptionalLong.of(slice.length()) : OptionalLong.empty();
    }

    /** Throws {@code INVALID_ARGUMENT} for a slice, which is written and deleted with its stored chunk only. */
    static void requireWhole(ChunkStore store, ChunkId chunk) throws CloudMwException {
        if (chunk.slice().isPresent()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "chunk=" + chunk + " store=" + store.id() + ": a slice (expected: a whole chunk)");
        }
    }

    /** Throws {@code DEADLINE_EXCEEDED} when the time is over. */
    static void requireTime(ChunkStore store, ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
        if (isOver.getAsBoolean()) {
            throw new CloudMwException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "chunk=" + chunk + " store=" + store.id() + ": its deadline has passed");
        }
    }

    /**
     * Lists chunks in the order of their names, with their lengths.
     *
     * @param pageToken the last page's; empty from the start
     * @param limit 1..1000
     */
    Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException;

    /**
     * The file that holds exactly this chunk, if the store keeps one on this machine: the bulk plane sends from it
     * without copying. The caller only reads it. Decorators that must see every byte return empty.
     */
    default Optional<Path> file(ChunkId chunk) {
        return Optional.empty();
    }

    /** Refuses every later call and releases the store's resources; open readers may go on or fail. Idempotent. */
    @Override
    void close();
}
