package io.cloudmw.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of hostile peers: a peer loses at most its own connection, is counted, and leaves another peer's transfer
 * alone.
 */
class HostileInputTest {
    private static final byte[] NOTHING = {};
    private static final byte[] CONTENT = Payloads.random(11, 1 << 20);
    private static final int FRAME = 64 << 10;

    private Loopback net;
    private BulkConnection bystander;
    private RecordingListener halfway;
    private BulkStream halfwayStream;

    /** The bytes that a peer sends to the server. */
    @FunctionalInterface
    interface Attack {
        void on(RawPeer peer) throws IOException;
    }

    @BeforeEach
    void aBystanderIsInTheMiddleOfATransfer() throws Exception {
        SendingHandler sends = new SendingHandler(CONTENT, FRAME);
        BulkOptions options = BulkOptions.defaults().withMaxStreams(16).withMaxFrameBytes(256 << 10);
        net = new Loopback(options, (stream, request) -> {
            stream.grant(1000);
            return sends.opened(stream, request);
        });
        bystander = net.connect();
        halfway = new RecordingListener();
        halfwayStream = bystander.open(NOTHING, halfway);
        halfwayStream.grant(CONTENT.length / 2);
        await().until(() -> halfway.received.get() == CONTENT.length / 2);
    }

    @AfterEach
    void closeEverything() {
        net.close();
    }

    private void theBystanderFinishes() throws Exception {
        halfwayStream.grant(CONTENT.length - halfway.received.get());
        halfway.awaitEnd();
        assertThat(halfway.content()).isEqualTo(CONTENT);
        RecordingListener another = new RecordingListener();
        BulkStream stream = bystander.open(NOTHING, another);
        stream.grant(CONTENT.length);
        stream.end(NOTHING);
        another.awaitEnd();
        assertThat(another.content()).isEqualTo(CONTENT);
    }

    static Stream<Arguments> beforeTheHandshake() {
        return Stream.of(
                attack(
                        "bad magic",
                        BulkViolation.BAD_MAGIC,
                        peer -> peer.raw(
                                "GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII))),
                attack(
                        "a type that does not exist",
                        BulkViolation.BAD_TYPE,
                        peer -> peer.raw(RawPeer.bytes(FrameHeader.MAGIC, 77, 0, 0, 0, 0, NOTHING))),
                attack(
                        "type 0",
                        BulkViolation.BAD_TYPE,
                        peer -> peer.raw(RawPeer.bytes(FrameHeader.MAGIC, 0, 0, 0, 0, 0, NOTHING))),
                attack(
                        "a flag nobody defined",
                        BulkViolation.BAD_FLAGS,
                        peer -> peer.raw(RawPeer.bytes(FrameHeader.MAGIC, 1, 1, 0, 0, 0, NOTHING))),
                attack(
                        "a greeting of 5 KiB",
                        BulkViolation.BAD_LENGTH,
                        peer -> peer.raw(RawPeer.bytes(FrameHeader.MAGIC, 1, 0, 0, 5 << 10, 0, NOTHING))),
                attack(
                        "a greeting that is not a message",
                        BulkViolation.BAD_MESSAGE,
                        peer -> peer.frame(FrameType.HELLO, 0, new byte[] {-1, -1, -1, -1, -1})),
                attack(
                        "a greeting with a wrong checksum",
                        BulkViolation.BAD_CHECKSUM,
                        peer -> peer.raw(RawPeer.bytes(FrameHeader.MAGIC, 1, 0, 0, 5, 1, new byte[5]))),
                attack(
                        "a greeting on a stream",
                        BulkViolation.BAD_STREAM,
                        peer -> peer.frame(FrameType.HELLO, 1, RawPeer.hello(1))),
                attack(
                        "data before the greeting",
                        BulkViolation.WRONG_ORDER,
                        peer -> peer.frame(FrameType.DATA, 1, new byte[10])),
                greetingForSmallRequestsAndOne("for such again", true),
                greetingForSmallRequestsAndOne("for others", false),
                attack(
                        "a stream before the greeting",
                        BulkViolation.WRONG_ORDER,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING)),
                attack(
                        "a ping before the greeting",
                        BulkViolation.WRONG_ORDER,
                        peer -> peer.frame(FrameType.PING, 0, NOTHING)),
                attack(
                        "the answer instead of the greeting",
                        BulkViolation.WRONG_ORDER,
                        peer -> peer.frame(FrameType.HELLO_ACK, 0, NOTHING)),
                attack(
                        "another major version",
                        BulkViolation.VERSION,
                        peer -> peer.frame(FrameType.HELLO, 0, RawPeer.hello(2))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("beforeTheHandshake")
    void aPeerThatDoesNotGreetProperlyIsClosed(String name, BulkViolation kind, Attack attack) throws Exception {
        try (RawPeer peer = RawPeer.connect(net.address())) {
            expect(kind, peer, attack);
        }
        theBystanderFinishes();
    }

    /** The greeting and a request in one segment. */
    private static Arguments greetingForSmallRequestsAndOne(String what, boolean interactive) {
        byte[] first = RawPeer.bytes(FrameType.HELLO, 0, RawPeer.hello(1, true));
        byte[] second = RawPeer.bytes(FrameType.HELLO, 0, RawPeer.hello(1, interactive));
        ByteBuffer both = ByteBuffer.allocate(first.length + second.length);
        return attack(
                "a greeting for small requests, and one " + what,
                BulkViolation.WRONG_ORDER,
                peer -> peer.raw(both.clear().put(first).put(second).array()));
    }

    static Stream<Arguments> afterTheHandshake() {
        return Stream.of(
                attack("bad magic", BulkViolation.BAD_MAGIC, peer -> peer.raw(new byte[16])),
                attack(
                        "a second greeting",
                        BulkViolation.WRONG_ORDER,
                        peer -> peer.frame(FrameType.HELLO, 0, RawPeer.hello(1))),
                attack(
                        "a greeting answered twice",
                        BulkViolation.WRONG_ORDER,
                        peer -> peer.frame(FrameType.HELLO_ACK, 0, NOTHING)),
                attack(
                        "a negative length",
                        BulkViolation.BAD_LENGTH,
                        peer -> peer.raw(
                                RawPeer.bytes(FrameHeader.MAGIC, FrameType.DATA.code(), 0, 1, -1, 0, NOTHING))),
                attack(
                        "a length of 2 GiB",
                        BulkViolation.BAD_LENGTH,
                        peer -> peer.raw(RawPeer.bytes(
                                FrameHeader.MAGIC, FrameType.OPEN.code(), 0, 1, Integer.MAX_VALUE, 0, NOTHING))),
                attack(
                        "data one byte longer than the limit",
                        BulkViolation.BAD_LENGTH,
                        peer -> peer.raw(RawPeer.bytes(
                                FrameHeader.MAGIC, FrameType.DATA.code(), 0, 1, (256 << 10) + 1, 0, NOTHING))),
                attack(
                        "data without a byte",
                        BulkViolation.BAD_LENGTH,
                        peer -> peer.raw(RawPeer.bytes(FrameHeader.MAGIC, FrameType.DATA.code(), 0, 1, 0, 0, NOTHING))),
                attack(
                        "a request longer than the limit",
                        BulkViolation.BAD_LENGTH,
                        peer -> peer.raw(RawPeer.bytes(
                                FrameHeader.MAGIC, FrameType.OPEN.code(), 0, 1, (64 << 10) + 1, 0, NOTHING))),
                attack(
                        "a grant of 7 bytes' length",
                        BulkViolation.BAD_LENGTH,
                        peer -> peer.frame(FrameType.CREDIT, 1, new byte[7])),
                attack("a negative stream", BulkViolation.BAD_STREAM, peer -> peer.frame(FrameType.OPEN, -1, NOTHING)),
                attack(
                        "a stream numbered like the server's own",
                        BulkViolation.BAD_STREAM,
                        peer -> peer.frame(FrameType.OPEN, 2, NOTHING)),
                attack("a stream 0", BulkViolation.BAD_STREAM, peer -> peer.frame(FrameType.OPEN, 0, NOTHING)),
                attack("a ping on a stream", BulkViolation.BAD_STREAM, peer -> peer.frame(FrameType.PING, 1, NOTHING)),
                attack(
                        "a stream opened twice",
                        BulkViolation.BAD_STREAM,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING).frame(FrameType.OPEN, 1, NOTHING)),
                attack(
                        "a stream numbered backwards",
                        BulkViolation.BAD_STREAM,
                        peer -> peer.frame(FrameType.OPEN, 5, NOTHING).frame(FrameType.OPEN, 3, NOTHING)),
                attack(
                        "data on a stream never opened",
                        BulkViolation.UNKNOWN_STREAM,
                        peer -> peer.frame(FrameType.DATA, 1, new byte[10])),
                attack(
                        "a grant on a stream never opened",
                        BulkViolation.UNKNOWN_STREAM,
                        peer -> peer.frame(FrameType.CREDIT, 1, RawPeer.credit(1))),
                attack(
                        "an end on a stream never opened",
                        BulkViolation.UNKNOWN_STREAM,
                        peer -> peer.frame(FrameType.END, 2, NOTHING)),
                attack(
                        "a reset of a stream never opened",
                        BulkViolation.UNKNOWN_STREAM,
                        peer -> peer.frame(FrameType.RESET, 9, NOTHING)),
                attack(
                        "data on a stream both sides reset",
                        BulkViolation.UNKNOWN_STREAM,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING)
                                .frame(FrameType.RESET, 1, NOTHING)
                                .frame(FrameType.DATA, 1, new byte[10])),
                attack(
                        "data after the end",
                        BulkViolation.AFTER_END,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING)
                                .frame(FrameType.END, 1, NOTHING)
                                .frame(FrameType.DATA, 1, new byte[10])),
                attack(
                        "two ends",
                        BulkViolation.AFTER_END,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING)
                                .frame(FrameType.END, 1, NOTHING)
                                .frame(FrameType.END, 1, NOTHING)),
                attack(
                        "a byte more than was granted",
                        BulkViolation.CREDIT_EXCEEDED,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING).frame(FrameType.DATA, 1, new byte[1001])),
                attack(
                        "a byte more than was granted, in pieces",
                        BulkViolation.CREDIT_EXCEEDED,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING)
                                .frame(FrameType.DATA, 1, new byte[1000])
                                .frame(FrameType.DATA, 1, new byte[1])),
                attack(
                        "a grant of nothing",
                        BulkViolation.CREDIT_OVERFLOW,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING).frame(FrameType.CREDIT, 1, RawPeer.credit(0))),
                attack(
                        "a negative grant",
                        BulkViolation.CREDIT_OVERFLOW,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING).frame(FrameType.CREDIT, 1, RawPeer.credit(-1))),
                attack(
                        "grants that overflow",
                        BulkViolation.CREDIT_OVERFLOW,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING)
                                .frame(FrameType.CREDIT, 1, RawPeer.credit(1L << 62))
                                .frame(FrameType.CREDIT, 1, RawPeer.credit(1L << 62))),
                attack(
                        "a grant with a wrong checksum",
                        BulkViolation.BAD_CHECKSUM,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING)
                                .raw(RawPeer.bytes(
                                        FrameHeader.MAGIC, FrameType.CREDIT.code(), 0, 1, 8, 1, RawPeer.credit(5)))),
                attack(
                        "a reset that is not a message",
                        BulkViolation.BAD_MESSAGE,
                        peer -> peer.frame(FrameType.OPEN, 1, NOTHING)
                                .frame(FrameType.RESET, 1, new byte[] {-1, -1, -1})),
                attack("a stream more than allowed", BulkViolation.TOO_MANY_STREAMS, peer -> {
                    for (int i = 0; i <= 16; i++) {
                        peer.frame(FrameType.OPEN, 2 * i + 1, NOTHING);
                    }
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("afterTheHandshake")
    void aPeerThatBreaksTheProtocolIsClosed(String name, BulkViolation kind, Attack attack) throws Exception {
        try (RawPeer peer = RawPeer.greeted(net.address())) {
            expect(kind, peer, attack);
        }
        theBystanderFinishes();
    }

    private static Arguments attack(String name, BulkViolation kind, Attack attack) {
        return arguments(name, kind, attack);
    }

    private void expect(BulkViolation kind, RawPeer peer, Attack attack) throws IOException {
        attack.on(peer);
        CloudMwException told = peer.awaitClosed();
        assertThat(net.violations(kind)).isEqualTo(1);
        assertThat(net.violations()).isEqualTo(1);
        ErrorCode code = kind == BulkViolation.VERSION ? ErrorCode.VERSION_UNSUPPORTED : ErrorCode.PROTOCOL_VIOLATION;
        assertThat(told)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageStartingWith(kind.tag() + ": ");
    }

    @Test
    void aConnectionThatEndsInsideAFrameIsCounted() throws Exception {
        byte[] frame = RawPeer.bytes(FrameType.OPEN, 1, new byte[100]);
        for (int cut : new int[] {1, FrameHeader.BYTES, frame.length - 1}) {
            double before = net.violations(BulkViolation.TRUNCATED);
            try (RawPeer peer = RawPeer.greeted(net.address())) {
                peer.raw(java.util.Arrays.copyOf(frame, cut));
            }
            await().until(() -> net.violations(BulkViolation.TRUNCATED) == before + 1);
        }
        theBystanderFinishes();
    }

    @Test
    void dataWithAWrongChecksumCostsTheStreamNotTheConnection() throws Exception {
        try (RawPeer peer = RawPeer.greeted(net.address())) {
            peer.frame(FrameType.OPEN, 1, NOTHING)
                    .raw(RawPeer.bytes(FrameHeader.MAGIC, FrameType.DATA.code(), 0, 1, 5, 0x1234, new byte[5]));
            RawPeer.Frame reset = peer.read(FrameType.RESET);
            assertThat(reset.stream()).isEqualTo(1);
            assertThat(io.cloudmw.core.bulk.message.BulkWire.readReset(reset.payload())
                            .code())
                    .isEqualTo(ErrorCode.REPLICA_CORRUPT);
            assertThat(net.violations(BulkViolation.BAD_CHECKSUM)).isEqualTo(1);
            peer.frame(FrameType.RESET, 1, NOTHING).frame(FrameType.PING, 0, NOTHING);
            assertThat(peer.read().type()).isEqualTo(FrameType.PONG.code());
        }
        theBystanderFinishes();
    }

    @Test
    void dataUnderWayToAStreamThatWasResetIsSkippedUpToItsCredit() throws Exception {
        try (RawPeer peer = RawPeer.greeted(net.address())) {
            peer.frame(FrameType.OPEN, 1, NOTHING)
                    .raw(RawPeer.bytes(FrameHeader.MAGIC, FrameType.DATA.code(), 0, 1, 5, 0x1234, new byte[5]));
            peer.read(FrameType.RESET);
            peer.frame(FrameType.DATA, 1, new byte[995]).frame(FrameType.PING, 0, NOTHING);
            assertThat(peer.read().type()).isEqualTo(FrameType.PONG.code());
            peer.frame(FrameType.DATA, 1, new byte[1]);
            assertThat(peer.awaitClosed()).isNotNull();
            assertThat(net.violations(BulkViolation.CREDIT_EXCEEDED)).isEqualTo(1);
        }
    }

    @Test
    void randomBytesAreClosed() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            double before = net.violations();
            try (RawPeer peer = RawPeer.connect(net.address())) {
                peer.raw(Payloads.random(seed, 64));
                peer.awaitClosed();
            }
            assertThat(net.violations()).as("seed %d", seed).isEqualTo(before + 1);
        }
        theBystanderFinishes();
    }

    /** Valid conversations with one to three bytes changed, cut or doubled: that connection may end in any way. */
    @Test
    void mutatedConversationsHurtOnlyThemselves() throws Exception {
        for (int seed = 0; seed < 400; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = mutate(random, conversation(random));
            try (RawPeer peer = RawPeer.connect(net.address())) {
                peer.raw(bytes).endOutput();
                peer.awaitClosed();
            } catch (SocketException closedWhileWriting) {
                assertThat(net.violations()).as("seed %d", seed).isPositive();
            }
        }
        theBystanderFinishes();
        assertThat(net.violations()).isGreaterThan(100);
        assertThat(net.serverMeters
                        .get(io.cloudmw.core.metrics.BulkMetrics.CONNECTIONS)
                        .gauge())
                .satisfies(gauge -> await().until(() -> gauge.value() == 1));
    }

    private static byte[] conversation(SplittableRandom random) throws IOException {
        var out = new java.io.ByteArrayOutputStream();
        out.write(RawPeer.bytes(FrameType.HELLO, 0, RawPeer.hello(1)));
        for (int stream = 1; stream < 8; stream += 2) {
            out.write(RawPeer.bytes(FrameType.OPEN, stream, new byte[random.nextInt(30)]));
            out.write(RawPeer.bytes(FrameType.CREDIT, stream, RawPeer.credit(1 + random.nextInt(1 << 20))));
            out.write(RawPeer.bytes(FrameType.DATA, stream, Payloads.random(stream, 1 + random.nextInt(300))));
            out.write(RawPeer.bytes(random.nextBoolean() ? FrameType.END : FrameType.RESET, stream, new byte[0]));
            out.write(RawPeer.bytes(FrameType.PING, 0, NOTHING));
        }
        return out.toByteArray();
    }

    private static byte[] mutate(SplittableRandom random, byte[] bytes) {
        byte[] mutated = bytes.clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            int at = random.nextInt(mutated.length);
            switch (random.nextInt(3)) {
                case 0 -> mutated[at] = (byte) random.nextInt();
                case 1 -> mutated = java.util.Arrays.copyOf(mutated, Math.max(1, at));
                default -> {
                    byte[] doubled = java.util.Arrays.copyOf(mutated, mutated.length + mutated.length - at);
                    System.arraycopy(mutated, at, doubled, mutated.length, mutated.length - at);
                    mutated = doubled;
                }
            }
        }
        return mutated;
    }
}
