package io.cloudmw.core.bulk.frame;

import org.jspecify.annotations.Nullable;

/** The types of frames, with their codes and the lengths their payloads may have. */
public enum FrameType {
    /** First frame of the side that connects. */
    HELLO(1, 0, FrameLimits.MAX_HELLO_BYTES),
    /** First frame of the side that accepts. */
    HELLO_ACK(2, 0, FrameLimits.MAX_HELLO_BYTES),
    /** A new stream. */
    OPEN(3, 0, FrameLimits.MAX_CONTROL_BYTES),
    /** More credit: the receiver of a stream's data takes so many bytes more. */
    CREDIT(4, Long.BYTES, Long.BYTES),
    /** Bytes of a stream. */
    DATA(5, 1, FrameLimits.MAX_DATA_BYTES),
    /** No more data from this side. */
    END(6, 0, FrameLimits.MAX_CONTROL_BYTES),
    /** The stream, or on stream 0 the connection, is over. */
    RESET(7, 0, FrameLimits.MAX_CONTROL_BYTES),
    /** A request for a sign of life. */
    PING(8, 0, 0),
    /** The answer to a ping. */
    PONG(9, 0, 0);

    private static final FrameType[] BY_CODE = new FrameType[10];

    static {
        for (FrameType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;
    private final int minBytes;
    private final int maxBytes;

    FrameType(int code, int minBytes, int maxBytes) {
        this.code = code;
        this.minBytes = minBytes;
        this.maxBytes = maxBytes;
    }

    public int code() {
        return code;
    }

    /** Returns whether a payload may have {@code length} bytes. */
    public boolean allows(int length) {
        return length >= minBytes && length <= maxBytes;
    }

    /** Returns whether it belongs to the connection, not to one of its streams. */
    public boolean ofConnection() {
        return this == HELLO || this == HELLO_ACK || this == PING || this == PONG;
    }

    static @Nullable FrameType of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
