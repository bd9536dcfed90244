package io.cloudmw.helper.testing;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.tls.ProcessIdentity;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A fake stream and its connection, which keep the frames sent; the test grants credit. For one thread. */
public class FakeBulkStream implements BulkStream, BulkConnection {
    public final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    public final List<Integer> checksums = new ArrayList<>();
    public final List<ErrorCode> resets = new ArrayList<>();
    /** The failures of sends. */
    public final List<CloudMwException> reasons = new ArrayList<>();

    public int ends;
    /** Bytes that the server granted. */
    public long granted;

    private long credit;
    private @Nullable BulkStreamListener listener;

    /** Grants bytes to the sender and notifies it. */
    public void allow(long bytes) {
        credit += bytes;
        listener().granted();
    }

    /** The session of the opener. */
    public BulkStreamListener listener() {
        if (listener == null) {
            throw new IllegalStateException("nobody has opened the stream");
        }
        return listener;
    }

    @Override
    public BulkStream open(byte[] request, BulkStreamListener opener) {
        listener = opener;
        return this;
    }

    @Override
    public long credit() {
        return credit;
    }

    @Override
    public CompletableFuture<Void> send(ByteBuf payload, int crc32c) {
        byte[] bytes = new byte[payload.readableBytes()];
        payload.readBytes(bytes);
        payload.release();
        return keep(bytes, crc32c);
    }

    @Override
    public CompletableFuture<Void> send(FileChannel file, long position, int length, int crc32c) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        try {
            while (bytes.hasRemaining() && file.read(bytes, position + bytes.position()) >= 0) {
                // The limit of the stream.
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return keep(bytes.array(), crc32c);
    }

    private CompletableFuture<Void> keep(byte[] bytes, int crc32c) {
        if (bytes.length > credit) {
            throw new IllegalStateException("no credit for " + bytes.length + " bytes");
        }
        credit -= bytes.length;
        sent.writeBytes(bytes);
        checksums.add(crc32c);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void grant(long bytes) {
        granted += bytes;
    }

    @Override
    public void end(byte[] trailer) {
        ends++;
    }

    @Override
    public void reset(CloudMwException why) {
        resets.add(why.code());
        reasons.add(why);
    }

    @Override
    public BulkConnection connection() {
        return this;
    }

    @Override
    public String sessionId() {
        return "session";
    }

    @Override
    public String peer() {
        return "peer";
    }

    @Override
    public Optional<ProcessIdentity> peerIdentity() {
        return Optional.empty();
    }

    @Override
    public AuditedPeer auditedPeer() {
        return new AuditedPeer(peerIdentity(), Optional.empty(), "");
    }

    @Override
    public boolean isInteractive() {
        return false;
    }

    @Override
    public void expect() {
        // The fake has no event loop.
    }

    @Override
    public boolean isOld() {
        return false;
    }

    @Override
    public void hold() {
        // The fake never closes by itself.
    }

    @Override
    public void release() {
        // The fake never closes by itself.
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public Runnable onClosed(Runnable action) {
        return () -> {};
    }

    @Override
    public void close(CloudMwException reason) {}

    @Override
    public void close() {}
}
