package io.cloudmw.core.bulk.frame;

import java.util.Locale;

/**
 * The violations of the protocol by a peer, each counted by its {@link #tag()}. {@code docs/protocol.md} lists them.
 */
public enum BulkViolation {
    /** A frame does not start with the magic number. */
    BAD_MAGIC,
    /** The frame type does not exist. */
    BAD_TYPE,
    /** A flag is set that this version does not know. */
    BAD_FLAGS,
    /** A length that the frame's type, or this side's limit, does not allow. */
    BAD_LENGTH,
    /** The payload does not match its checksum. On a data frame this ends the stream, not the connection. */
    BAD_CHECKSUM,
    /** A payload that cannot be decoded. */
    BAD_MESSAGE,
    /** A stream id that the frame, or the side that sent it, may not use; an id opened twice. */
    BAD_STREAM,
    /** A frame on a stream that is not open. */
    UNKNOWN_STREAM,
    /** A frame before the handshake, or a second handshake. */
    WRONG_ORDER,
    /** Data or another end after the end of the stream. */
    AFTER_END,
    /** More data than was granted. */
    CREDIT_EXCEEDED,
    /** A grant that is not positive or beyond what can be outstanding. */
    CREDIT_OVERFLOW,
    /** More streams than were allowed in the handshake. */
    TOO_MANY_STREAMS,
    /** More connections than the server allows. */
    TOO_MANY_CONNECTIONS,
    /** More connections without a greeting than the server allows, in total or from one address. */
    TOO_MANY_HANDSHAKES,
    /** The connection ended inside a frame. */
    TRUNCATED,
    /** The handshake did not end in time. */
    HANDSHAKE_TIMEOUT,
    /** The peer greets by another id than its certificate's, or its certificate is of another process than expected. */
    WRONG_IDENTITY,
    /** Another major version. */
    VERSION,
    /** The peer causes answers and does not read them. */
    NOT_READING,
    /** The peer sent nothing, not even an answer to a ping. */
    SILENT;

    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
