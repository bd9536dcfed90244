package io.cloudmw.core.bulk.frame;

import io.cloudmw.core.error.CloudMwException;
import io.netty.buffer.ByteBuf;

/** The sink of one connection's frames, called on its event loop. */
public interface FrameSink {
    /**
     * A header arrived; no memory was allocated for its payload yet.
     *
     * @return false to skip the payload
     */
    boolean admit(FrameHeader header) throws ViolationException;

    /**
     * An admitted frame is whole and its checksum right. The sink takes ownership of {@code payload} and releases it.
     */
    void frame(FrameHeader header, ByteBuf payload) throws ViolationException;

    /** An admitted frame is whole but its checksum wrong. */
    void damaged(FrameHeader header) throws ViolationException;

    /** The connection is over. Called once; nothing follows. */
    void closed(CloudMwException cause);
}
