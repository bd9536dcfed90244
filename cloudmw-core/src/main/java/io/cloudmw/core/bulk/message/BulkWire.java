package io.cloudmw.core.bulk.message;

import com.google.protobuf.InvalidProtocolBufferException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ProtocolVersion;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.core.wire.VerdictWire;
import io.cloudmw.proto.v1.Hello;
import io.cloudmw.proto.v1.HelloAck;
import io.cloudmw.proto.v1.Reset;
import java.util.regex.Pattern;

/** The payloads of the bulk plane's HELLO, HELLO_ACK and RESET frames. */
public final class BulkWire {
    private static final int MAX_NAME_CHARS = 256;
    private static final int MAX_MESSAGE_CHARS = 4096;
    private static final Pattern CONTROL = Pattern.compile("\\p{C}");

    private BulkWire() {}

    /**
     * The first message of each side.
     *
     * @param process for logs
     * @param sessionId empty in a HELLO
     * @param maxStreams streams that the receiver of the greeting may have open at once
     * @param interactive whether the connection is for small requests that a caller waits for; false in a HELLO_ACK
     * @param connectionAgeMillis the age from which on the connecting side begins nothing new on the connection; 0: any;
     *     always 0 in a HELLO
     */
    public record Greeting(
            ProtocolVersion version,
            String process,
            String sessionId,
            int maxStreams,
            boolean interactive,
            long connectionAgeMillis) {
        /** A greeting that allows connections of any age. */
        public Greeting(
                ProtocolVersion version, String process, String sessionId, int maxStreams, boolean interactive) {
            this(version, process, sessionId, maxStreams, interactive, 0);
        }
    }

    /** Encodes the first frame of the side that connects. */
    public static byte[] hello(Greeting greeting) {
        return Hello.newBuilder()
                .setProtocolMajor(greeting.version().major())
                .setProtocolMinor(greeting.version().minor())
                .setProcess(cut(greeting.process(), MAX_NAME_CHARS))
                .setMaxStreams(greeting.maxStreams())
                .setInteractive(greeting.interactive())
                .build()
                .toByteArray();
    }

    /** Decodes a HELLO. */
    public static Greeting readHello(byte[] payload) throws CloudMwException {
        try {
            Hello hello = Hello.parseFrom(payload);
            return new Greeting(
                    new ProtocolVersion(hello.getProtocolMajor(), hello.getProtocolMinor()),
                    plain(hello.getProcess()),
                    "",
                    hello.getMaxStreams(),
                    hello.getInteractive());
        } catch (InvalidProtocolBufferException e) {
            throw malformed("HELLO", e);
        }
    }

    /** Encodes the first frame of the side that accepts. */
    public static byte[] helloAck(Greeting greeting) {
        return HelloAck.newBuilder()
                .setProtocolMajor(greeting.version().major())
                .setProtocolMinor(greeting.version().minor())
                .setProcess(cut(greeting.process(), MAX_NAME_CHARS))
                .setSessionId(greeting.sessionId())
                .setMaxStreams(greeting.maxStreams())
                .setConnectionAgeMillis(greeting.connectionAgeMillis())
                .build()
                .toByteArray();
    }

    /** Decodes a HELLO_ACK. */
    public static Greeting readHelloAck(byte[] payload) throws CloudMwException {
        try {
            HelloAck ack = HelloAck.parseFrom(payload);
            return new Greeting(
                    new ProtocolVersion(ack.getProtocolMajor(), ack.getProtocolMinor()),
                    plain(ack.getProcess()),
                    ack.getSessionId(),
                    ack.getMaxStreams(),
                    false,
                    ack.getConnectionAgeMillis());
        } catch (InvalidProtocolBufferException e) {
            throw malformed("HELLO_ACK", e);
        }
    }

    /** Encodes the reason for the end of a stream or connection. */
    public static byte[] reset(ErrorCode code, String message) {
        return reset(new CloudMwException(code, message));
    }

    /** Encodes the reason with its retry-after, if any. */
    public static byte[] reset(CloudMwException why) {
        return Reset.newBuilder()
                .setErrorCode(why.code().name())
                .setMessage(cut(String.valueOf(why.getMessage()), MAX_MESSAGE_CHARS))
                .setRetryAfterMillis(UrgencyWire.millis(why.retryAfter()))
                .setRetryVerdict(VerdictWire.text(why))
                .addAllRefusingStoreIds(why.refusing())
                .build()
                .toByteArray();
    }

    /** Decodes a RESET; a code that this build does not know becomes {@code INTERNAL} and is named in the message. */
    public static CloudMwException readReset(byte[] payload) throws CloudMwException {
        Reset reset;
        try {
            reset = Reset.parseFrom(payload);
        } catch (InvalidProtocolBufferException e) {
            throw malformed("RESET", e);
        }
        for (ErrorCode code : ErrorCode.values()) {
            if (code.name().equals(reset.getErrorCode())) {
                for (String store : reset.getRefusingStoreIdsList()) {
                    StoreId unused = FromWire.storeId(store);
                }
                CloudMwException why = new CloudMwException(
                        code, VerdictWire.verdict(code, reset.getRetryVerdict()), reset.getMessage(), null);
                return UrgencyWire.retriedAfter(
                        why.refusedBy(reset.getRefusingStoreIdsList()), reset.getRetryAfterMillis());
            }
        }
        return new CloudMwException(ErrorCode.INTERNAL, reset.getErrorCode() + ": " + reset.getMessage());
    }

    private static CloudMwException malformed(String frame, InvalidProtocolBufferException cause) {
        return new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, frame + ": " + cause.getMessage(), cause);
    }

    /** The name of another process: it appears in logs and messages, so it has no control characters. */
    private static String plain(String name) {
        return CONTROL.matcher(cut(name, MAX_NAME_CHARS)).replaceAll("?");
    }

    private static String cut(String text, int chars) {
        return text.length() <= chars ? text : text.substring(0, chars);
    }
}
