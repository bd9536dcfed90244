package io.cloudmw.it.hostile;

import com.google.protobuf.ByteString;

/**
 * Bytes that an attacker sends on one connection.
 *
 * @param first sent at once
 * @param second sent when the other side has sent a frame about a stream, or else never
 * @param frames the frames in both
 * @param reading whether the attacker reads what the other side sends
 */
record Conversation(ByteString first, ByteString second, int frames, Ending ending, boolean reading) {
    /** The end of a connection whose other side has not closed it. */
    enum Ending {
        /** The attacker ends its output and waits for the other side. */
        END_OF_OUTPUT,
        /** The attacker closes while answers may be under way. */
        CLOSE,
        /** The attacker resets the connection. */
        RESET
    }
}
