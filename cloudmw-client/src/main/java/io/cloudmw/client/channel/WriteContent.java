package io.cloudmw.client.channel;

import io.cloudmw.client.FileOperations;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The content of a channel that writes. Changes are staged on the local disk and become a version when the channel is
 * forced or closed. A new file that is only written, in order, is stored while the application writes, once it is longer
 * than {@link #STAGED_BYTES}. Not safe for threads, but for {@link #discard}.
 */
final class WriteContent implements FileContent {
    /** A new file is staged up to this length, so that its beginning may be written again. */
    static final int STAGED_BYTES = 8 << 20;

    private final FilePath file;
    private final OpenMode mode;
    private final FileChannels channels;
    private final StagedFile staged;
    private volatile @Nullable RemoteOutputStream stream;
    private volatile @Nullable CompletableFuture<?> committing;
    private long streamedBytes;

    /** @param staged closed with this; without a base, the file is made, or emptied, even if nothing is written */
    WriteContent(FilePath file, OpenMode mode, FileChannels channels, StagedFile staged) {
        this.file = file;
        this.mode = mode;
        this.channels = channels;
        this.staged = staged;
    }

    private FileOperations files() {
        return channels.files();
    }

    @Override
    public long sizeBytes() {
        return stream == null ? staged.sizeBytes() : streamedBytes;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return staged.read(target, position);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        RemoteOutputStream running = stream;
        if (running == null && mayStream(position, source.remaining())) {
            running = startStream();
        }
        if (running == null) {
            return staged.write(source, position);
        }
        if (position != streamedBytes) {
            throw stored("a write at " + position);
        }
        int length = source.remaining();
        running.write(source);
        streamedBytes += length;
        return length;
    }

    private boolean mayStream(long position, int length) {
        return !mode.read()
                && staged.base().isEmpty()
                && position == staged.sizeBytes()
                && position + length > STAGED_BYTES;
    }

    private RemoteOutputStream startStream() throws IOException {
        RemoteOutputStream started = channels.newOutputStream(file, mode.createNew());
        stream = started;
        ByteBuffer buffer = ByteBuffer.allocate(PieceLayout.PIECE_BYTES);
        while (streamedBytes < staged.sizeBytes()) {
            int read = staged.read(buffer.clear(), streamedBytes);
            started.write(buffer.flip());
            streamedBytes += read;
        }
        staged.truncate(0);
        return started;
    }

    private IOException stored(String what) {
        return new CloudMwException(
                ErrorCode.LOCAL_IO,
                file + ": " + what + " is not possible, " + streamedBytes
                        + " bytes are stored already (open the channel with READ and WRITE, which stages changes)");
    }

    @Override
    public void truncate(long size) throws IOException {
        if (stream == null) {
            staged.truncate(size);
        } else if (size < streamedBytes) {
            throw stored("a truncation to " + size);
        }
    }

    /** A file that is being stored while it is written becomes visible when the channel is closed, not before. */
    @Override
    public void force() throws IOException {
        if (stream == null && staged.isChanged()) {
            PutReceipt receipt = commit();
            staged.rebase(channels.reader(file, receipt.version().id()));
        }
    }

    @Override
    public void finish() throws IOException {
        RemoteOutputStream running = stream;
        try {
            if (running != null) {
                running.close();
            } else if (staged.isChanged()) {
                PutReceipt unused = commit();
            }
        } finally {
            staged.close();
        }
    }

    private PutReceipt commit() throws IOException {
        boolean isNew = staged.base().isEmpty();
        CompletableFuture<PutReceipt> commit = isNew
                ? files().put(staged.content(), staged.sizeBytes(), file, FileChannels.putOptions(mode.createNew()))
                : files().change(staged.change(), TransferListener.NONE);
        committing = commit;
        try {
            return Calls.await(commit);
        } catch (CloudMwException e) {
            boolean overtaken = isNew && mode.createNew() && e.code() == ErrorCode.CONFLICT;
            throw overtaken ? FileErrors.exists(file.toString(), e) : FileErrors.of(file.toString(), e);
        }
    }

    @Override
    public void discard() {
        RemoteOutputStream running = stream;
        if (running != null) {
            running.abort();
        }
        CompletableFuture<?> commit = committing;
        if (commit != null) {
            commit.cancel(true);
        }
        try {
            staged.close();
        } catch (IOException e) {
            // A temporary file promises nothing.
        }
    }
}
