package io.cloudmw.core.store.http;

import io.cloudmw.core.error.CloudMwException;
import io.netty.buffer.ByteBuf;

/**
 * A listener to a {@link RangeGet}, called on one event loop, which it must not block. {@link #ended} or {@link #failed}
 * is the last call. After {@link RangeGet#cancel} at most a call that is under way is finished.
 */
public interface RangeListener {
    /** The store answers with the range. */
    void began(long chunkLength);

    /** The next bytes of the range; the listener releases the buffer. */
    void data(ByteBuf bytes);

    /** Every byte of the range has come. */
    void ended();

    /** The rest does not come. */
    void failed(CloudMwException cause);
}
