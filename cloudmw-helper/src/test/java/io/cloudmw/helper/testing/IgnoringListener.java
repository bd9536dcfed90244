package io.cloudmw.helper.testing;

import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.netty.buffer.ByteBuf;

/** A listener that ignores every event. */
public final class IgnoringListener implements BulkStreamListener {
    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
    }

    @Override
    public void ended(byte[] trailer) {}

    @Override
    public void granted() {}

    @Override
    public void failed(CloudMwException cause) {}
}
