package io.cloudmw.client.file;

import io.cloudmw.core.model.file.FileVersion;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * An open version of a file, for reads at any offset. The version that was current at the opening is read until the file
 * is closed, whatever is put, renamed or removed meanwhile. Safe for any thread.
 *
 * <p>An open file keeps its plan and its connections, so a small read is one request to the switch that has the bytes. It
 * keeps the bytes read last, so a read beside them needs no request. Reads of the same bytes share a request. Every byte
 * is verified before it is delivered. When a switch fails, and for reads of more than a MiB or volumes without switches,
 * the bytes come by the same path as those of a get.
 */
public interface RemoteFile extends AutoCloseable {
    /** The version that this file reads. */
    FileVersion version();

    /**
     * Reads as many bytes as {@code target} has room for, fewer only at the end of the file.
     *
     * @param target belongs to the read until the future is done; its position is then behind the bytes. After a failure
     *     its content is undefined. It is the caller's again when the future has failed, or a call that cancels the future
     *     has returned
     * @param position of the first byte, at least 0
     * @return the number of bytes; -1 when {@code target} has room and the file ends at or before {@code position}. Fails
     *     with {@code CANCELLED} when the file is closed, otherwise as {@code FileOperations.read} does. Callbacks run on
     *     the client's threads and must not block them. While small reads follow one another fast, a thread that waits for
     *     this future spins for a moment ({@code CloudMwOptions.busyPoll})
     * @throws IllegalArgumentException for a negative position or a read-only buffer
     */
    CompletableFuture<Integer> read(ByteBuffer target, long position);

    /** Closes the file. Reads under way fail with {@code CANCELLED}, and so do later reads. Idempotent. */
    @Override
    void close();
}
