package io.cloudmw.core.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** A listener that sends bytes as credit arrives, then ends with "all". */
final class Sending extends RecordingListener {
    private final ByteBufAllocator allocator;
    private final byte[] bytes;
    private final int frameBytes;

    @GuardedBy("this")
    private @Nullable BulkStream stream;

    @GuardedBy("this")
    private int sent;

    Sending(Loopback net, byte[] bytes, int frameBytes) {
        this(net.clientTransport.allocator(), bytes, frameBytes);
    }

    Sending(ByteBufAllocator allocator, byte[] bytes, int frameBytes) {
        this.allocator = allocator;
        this.bytes = bytes;
        this.frameBytes = frameBytes;
    }

    /** Sends over {@code opened} from now on. */
    synchronized Sending over(BulkStream opened) {
        stream = opened;
        granted();
        return this;
    }

    @Override
    public synchronized void granted() {
        super.granted();
        BulkStream to = stream;
        while (to != null && sent < bytes.length) {
            int length = Math.min(frameBytes, bytes.length - sent);
            if (to.credit() < length) {
                return;
            }
            to.send(Payloads.direct(allocator, bytes, sent, length), Payloads.crc32c(bytes, sent, length));
            sent += length;
            if (sent == bytes.length) {
                to.end("all".getBytes(UTF_8));
            }
        }
    }
}
