package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps each chunk as a file of its own. A chunk is written to a temporary file, forced to the disk and
 * renamed, and the directory is forced: a crash leaves the chunk whole or absent. {@link DiskLayout} lists the files.
 */
public final class DiskChunkStore implements ChunkStore {
    private final StoreId id;
    private final DiskLayout layout;
    private final @Nullable DiskWriter writer;
    private volatile boolean closed;

    private DiskChunkStore(StoreId id, DiskLayout layout, @Nullable DiskWriter writer) {
        this.id = id;
        this.layout = layout;
        this.writer = writer;
    }

    /**
     * Opens a directory for reading and writing, for processes without a cluster: a new directory becomes that of
     * {@code id} at once. Otherwise like {@link #attach}.
     */
    public static DiskChunkStore open(StoreId id, Path directory, long reserveBytes, FreeSpace freeSpace)
            throws CloudMwException {
        DiskChunkStore store = attach(id, directory, reserveBytes, freeSpace);
        boolean claimed = false;
        try {
            DiskIdentity identity = store.identity();
            identity.accepted(identity.identity().cluster());
            claimed = true;
            return store;
        } finally {
            if (!claimed) {
                store.close();
            }
        }
    }

    /**
     * Opens a directory for reading and writing, and removes half-written chunks of a crash. Puts into a new directory
     * fail until its {@link #identity} is accepted.
     *
     * @param reserveBytes puts must leave this much of the file system free
     * @throws CloudMwException {@code STORE_MISMATCH} when it belongs to another store; {@code STORE_DENIED} when it
     *     may not be written; {@code STORE_UNAVAILABLE} when another process has it open, or it cannot be read or
     *     created
     */
    public static DiskChunkStore attach(StoreId id, Path directory, long reserveBytes, FreeSpace freeSpace)
            throws CloudMwException {
        DiskLayout layout = new DiskLayout(directory);
        return new DiskChunkStore(id, layout, DiskWriter.open(id, layout, reserveBytes, freeSpace));
    }

    /**
     * Opens a directory that another process may be writing to, for reading only: puts and deletes are
     * {@code STORE_DENIED}. Changes nothing on the disk.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE} or {@code STORE_MISMATCH} when it is not the directory of
     *     {@code id}
     */
    public static DiskChunkStore openForReading(StoreId id, Path directory) throws CloudMwException {
        DiskLayout layout = new DiskLayout(directory);
        try {
            layout.checkIdentity(id);
        } catch (IOException e) {
            throw DiskErrors.translate(id, directory.toString(), e);
        }
        return new DiskChunkStore(id, layout, null);
    }

    @Override
    public StoreId id() {
        return id;
    }

    /**
     * The identity of the disk.
     *
     * @throws CloudMwException {@code STORE_DENIED} when it was opened for reading only
     */
    public DiskIdentity identity() throws CloudMwException {
        return writable("identity").identity();
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        return open(chunk, range, DiskReader.Destination.BUFFERS);
    }

    @Override
    public ChunkReader readAhead(ChunkId chunk, ByteRange range) throws CloudMwException {
        return open(chunk, range, DiskReader.Destination.PAGE_CACHE);
    }

    private ChunkReader open(ChunkId chunk, ByteRange range, DiskReader.Destination into) throws CloudMwException {
        checkOpen();
        String what = "chunk=" + chunk;
        FileChannel file = null;
        try {
            file = FileChannel.open(layout.chunk(chunk));
            ByteRange stored = ChunkStore.inStored(this, chunk, range);
            if (stored.end() > file.size()) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        what + " store=" + id + ": range " + range + " (expected: within " + file.size() + " bytes)");
            }
            DiskReader reader = new DiskReader(id, what, file, stored, into);
            file = null;
            return reader;
        } catch (NoSuchFileException e) {
            throw missing(chunk, e);
        } catch (IOException e) {
            throw DiskErrors.translate(id, what, e);
        } finally {
            closeQuietly(file);
        }
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        checkOpen();
        ChunkStore.requireWhole(this, chunk);
        return writable("put").put(chunk, source);
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        checkOpen();
        try {
            return ChunkStore.length(chunk, Files.size(layout.chunk(chunk)));
        } catch (NoSuchFileException e) {
            checkMounted();
            return OptionalLong.empty();
        } catch (IOException e) {
            throw DiskErrors.translate(id, "chunk=" + chunk, e);
        }
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        checkOpen();
        ChunkStore.requireWhole(this, chunk);
        return writable("delete").delete(chunk);
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        checkOpen();
        try {
            return DiskListing.page(layout, pageToken, limit);
        } catch (IOException e) {
            throw DiskErrors.translate(id, "list", e);
        }
    }

    @Override
    public Optional<Path> file(ChunkId chunk) {
        if (chunk.slice().isPresent()) {
            return Optional.empty();
        }
        Path file = layout.chunk(chunk);
        return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
    }

    /** The bytes that puts leave free. */
    public long reserveBytes() throws CloudMwException {
        return writable("reserve").reserveBytes();
    }

    /** The bytes that puts may still use before the reserve is reached; never negative. */
    public long freeBytes() throws CloudMwException {
        return writable("free space").freeBytes();
    }

    /** The bytes of all chunks. */
    public long usedBytes() throws CloudMwException {
        return writable("used space").usedBytes();
    }

    @Override
    public void close() {
        closed = true;
        if (writer != null) {
            writer.close();
        }
    }

    private DiskWriter writable(String what) throws CloudMwException {
        if (writer == null) {
            throw new CloudMwException(ErrorCode.STORE_DENIED, what + " store=" + id + ": opened for reading only");
        }
        return writer;
    }

    private void checkOpen() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": closed");
        }
    }

    private CloudMwException missing(ChunkId chunk, NoSuchFileException e) throws CloudMwException {
        checkMounted();
        return new CloudMwException(
                ErrorCode.REPLICA_MISSING, "chunk=" + chunk + " store=" + id + ": no such chunk", e);
    }

    /** Fails when the disk is not mounted, which must not look like a disk that lost its chunks. */
    private void checkMounted() throws CloudMwException {
        if (!Files.exists(layout.identity())) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": " + layout.root() + " is gone");
        }
    }

    private static void closeQuietly(@Nullable FileChannel file) {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                // Opened for reading; the failure being thrown says more.
            }
        }
    }
}
