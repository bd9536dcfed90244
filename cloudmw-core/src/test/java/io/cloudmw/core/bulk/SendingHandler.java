package io.cloudmw.core.bulk;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A handler that sends the same bytes on every stream. */
final class SendingHandler implements BulkHandler {
    private final byte[] bytes;
    private final int frameBytes;
    private final List<Sending> senders = new CopyOnWriteArrayList<>();

    SendingHandler(byte[] bytes, int frameBytes) {
        this.bytes = bytes;
        this.frameBytes = frameBytes;
    }

    @Override
    public BulkStreamListener opened(BulkStream stream, byte[] request) {
        Sending sending = new Sending(UnpooledByteBufAllocator.DEFAULT, bytes, frameBytes).over(stream);
        senders.add(sending);
        return sending;
    }

    int opened() {
        return senders.size();
    }

    Sending last() {
        return senders.get(senders.size() - 1);
    }
}
