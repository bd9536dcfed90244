package io.cloudmw.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.bulk.message.BulkWire;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.wire.ProtocolVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests of each limit of {@link BulkOptions}, pushed until it holds. */
class BulkLimitsTest {
    private static final byte[] NOTHING = {};
    private static final int FRAME = 256 << 10;
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final BulkHandler RECEIVES_NOTHING = (stream, request) -> new RecordingListener();

    @Test
    void thePeersLimitOfStreamsIsKeptWithoutAskingIt() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults().withMaxStreams(3), RECEIVES_NOTHING)) {
            BulkConnection connection = net.connect();
            List<BulkStream> streams = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                streams.add(connection.open(NOTHING, new RecordingListener()));
            }
            RecordingListener refused = new RecordingListener();
            connection.open(NOTHING, refused);
            assertThat(refused.awaitFailure().code()).isEqualTo(ErrorCode.OVERLOADED);
            streams.get(1).reset(ErrorCode.CANCELLED, "makes room");
            await().untilAsserted(() -> {
                RecordingListener another = new RecordingListener();
                BulkStream stream = connection.open(NOTHING, another);
                stream.grant(1);
                assertThat(another.failed).isNotDone();
                stream.end(NOTHING);
            });
            assertThat(net.violations()).isZero();
        }
    }

    @Test
    void openingAndResettingAllTheTimeNeverBreaksTheLimit() throws Exception {
        try (Loopback net = new Loopback(
                BulkOptions.defaults().withMaxStreams(4), new SendingHandler(new byte[1 << 20], 64 << 10))) {
            BulkConnection connection = net.connect();
            int opened = 0;
            while (opened < 2000) {
                RecordingListener listener = new RecordingListener();
                BulkStream stream = connection.open(NOTHING, listener);
                stream.grant(100_000);
                stream.reset(ErrorCode.CANCELLED, "no longer wanted");
                opened++;
            }
            await().untilAsserted(() -> {
                RecordingListener last = new RecordingListener();
                connection.open(NOTHING, last).grant(1 << 20);
                last.ended.get(1, TimeUnit.SECONDS);
            });
            assertThat(net.violations()).isZero();
        }
    }

    @Test
    void connectionsBeyondTheLimitAreTold() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults().withMaxConnections(2), RECEIVES_NOTHING)) {
            BulkConnection first = net.connect();
            BulkConnection second = net.connect();
            assertThatThrownBy(net::connect)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
            assertThat(net.violations(BulkViolation.TOO_MANY_CONNECTIONS)).isEqualTo(1);
            assertThat(first.isClosed()).isFalse();
            second.close();
            await().ignoreExceptions().until(() -> net.connect() != null);
        }
    }

    @Test
    void oneAddressHasALimitOfConnectionsThatHaveNotGreeted() throws Exception {
        int most = 64;
        List<RawPeer> silent = new ArrayList<>();
        try (Loopback net = new Loopback(BulkOptions.defaults().withMaxConnections(4 * most), RECEIVES_NOTHING)) {
            BulkConnection greeted = net.connect();
            for (int i = 0; i < most; i++) {
                silent.add(RawPeer.connect(net.address()));
            }
            try (RawPeer refused = RawPeer.connect(net.address())) {
                assertThat(refused.awaitClosed())
                        .isInstanceOfSatisfying(
                                CloudMwException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
            }
            assertThat(net.violations(BulkViolation.TOO_MANY_HANDSHAKES)).isEqualTo(1);
            assertThat(greeted.isClosed()).isFalse();
            silent.get(0).close();
            await().ignoreExceptions().until(() -> net.connect() != null);
        } finally {
            for (RawPeer peer : silent) {
                peer.close();
            }
        }
    }

    @Test
    void aClientThatSaysNothingIsClosedAfterTheHandshakeTimeout() throws Exception {
        BulkOptions options = BulkOptions.defaults().withTimeouts(SHORT, LONG);
        try (Loopback net = new Loopback(options, RECEIVES_NOTHING);
                RawPeer silent = RawPeer.connect(net.address())) {
            assertThat(silent.awaitClosed()).isNotNull();
            assertThat(net.violations(BulkViolation.HANDSHAKE_TIMEOUT)).isEqualTo(1);
        }
    }

    @Test
    void aClientThatGreetsByteByByteIsClosedAfterTheHandshakeTimeout() throws Exception {
        BulkOptions options = BulkOptions.defaults().withTimeouts(SHORT, LONG);
        byte[] hello = RawPeer.bytes(FrameType.HELLO, 0, RawPeer.hello(1));
        try (Loopback net = new Loopback(options, RECEIVES_NOTHING);
                RawPeer slow = RawPeer.connect(net.address())) {
            AtomicLong written = new AtomicLong();
            await().pollInterval(Duration.ofMillis(50)).until(() -> {
                try {
                    slow.raw(new byte[] {hello[(int) written.getAndIncrement() % hello.length]});
                    return net.violations(BulkViolation.HANDSHAKE_TIMEOUT) == 1;
                } catch (IOException closed) {
                    return net.violations(BulkViolation.HANDSHAKE_TIMEOUT) == 1;
                }
            });
            assertThat(written.get()).isLessThan(hello.length);
        }
    }

    @Test
    void aServerThatDoesNotGreetFailsTheConnectionInTime() throws Exception {
        BulkOptions options = BulkOptions.defaults().withTimeouts(SHORT, LONG);
        try (Loopback net = new Loopback(options, RECEIVES_NOTHING);
                ServerSocket mute = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            CompletableFuture<BulkConnection> connecting = net.connector.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), mute.getLocalPort()), RECEIVES_NOTHING);
            assertThatThrownBy(() -> connecting.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE));
        }
    }

    @Test
    void aServerOfAnotherMajorVersionIsNamedToTheClient() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults(), RECEIVES_NOTHING);
                ServerSocket other = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            CompletableFuture<BulkConnection> connecting = net.connector.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), other.getLocalPort()), RECEIVES_NOTHING);
            try (RawPeer server = new RawPeer(other.accept())) {
                server.read(FrameType.HELLO);
                server.frame(
                        FrameType.HELLO_ACK,
                        0,
                        BulkWire.helloAck(new BulkWire.Greeting(new ProtocolVersion(7, 3), "future", "s", 1, false)));
                assertThatThrownBy(() -> connecting.get(20, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOfSatisfying(
                                CloudMwException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.VERSION_UNSUPPORTED))
                        .hasMessageContaining("future speaks protocol 7.3 (expected: major 1)");
                assertThat(server.awaitClosed())
                        .isInstanceOfSatisfying(
                                CloudMwException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.VERSION_UNSUPPORTED));
            }
        }
    }

    @Test
    void aPeerThatStandsStillIsFoundDead() throws Exception {
        BulkOptions options = BulkOptions.defaults().withTimeouts(LONG, SHORT);
        RecordingListener atServer = new RecordingListener();
        try (Loopback net = new Loopback(options, (stream, request) -> {
                    stream.grant(1000);
                    return atServer;
                });
                RawPeer stopped = RawPeer.greeted(net.address())) {
            stopped.frame(FrameType.OPEN, 1, NOTHING).frame(FrameType.DATA, 1, new byte[10]);
            assertThat(atServer.awaitFailure().code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
            assertThat(net.violations(BulkViolation.SILENT)).isEqualTo(1);
        }
    }

    @Test
    void anIdleConnectionWhosePeerLivesStaysOpen() throws Exception {
        BulkOptions quick = BulkOptions.defaults().withTimeouts(LONG, SHORT);
        try (Loopback net = new Loopback(quick, RECEIVES_NOTHING);
                RawPeer idle = RawPeer.greeted(net.address())) {
            for (int pings = 0; pings < 12; pings++) {
                idle.read(FrameType.PING);
                idle.frame(FrameType.PONG, 0, NOTHING);
            }
            assertThat(net.violations()).isZero();
        }
    }

    @Test
    void aPeerThatAsksAndDoesNotReadTheAnswersIsClosed() throws Exception {
        BulkOptions options = BulkOptions.defaults().withOutbound(1 << 20, 4 << 20, 128 << 10);
        BulkHandler refuses = (stream, request) -> {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "no ".repeat(1000));
        };
        try (Loopback net = new Loopback(options, refuses);
                RawPeer asking = RawPeer.greeted(net.address())) {
            assertThatThrownBy(() -> {
                        for (int stream = 1; stream < 1_000_000; stream += 2) {
                            asking.frame(FrameType.OPEN, stream, NOTHING).frame(FrameType.RESET, stream, NOTHING);
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertThat(net.violations(BulkViolation.NOT_READING)).isEqualTo(1);
        }
    }

    @Test
    void aSinglePongAnswersAllPingsBeforeIt() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults(), RECEIVES_NOTHING);
                RawPeer asking = RawPeer.greeted(net.address())) {
            byte[] ping = RawPeer.bytes(FrameType.PING, 0, NOTHING);
            byte[] pings = new byte[ping.length * 1000];
            for (int i = 0; i < pings.length; i += ping.length) {
                System.arraycopy(ping, 0, pings, i, ping.length);
            }
            asking.raw(pings).frame(FrameType.OPEN, 2, NOTHING);
            int answers = 0;
            while (asking.read().type() == FrameType.PONG.code()) {
                answers++;
            }
            assertThat(answers).isBetween(1, 500);
        }
    }

    /** The peer grants everything and reads nothing: the stream's queue bounds the waiting bytes. */
    @Test
    void aPeerThatGrantsAndDoesNotReadGetsNoMoreMemoryThanTheQueue() throws Exception {
        int queue = 2 << 20;
        BulkOptions options = BulkOptions.defaults().withOutbound(512 << 10, queue, 1 << 20);
        CompletableFuture<BulkStream> opened = new CompletableFuture<>();
        try (Loopback net = new Loopback(options, (stream, request) -> {
                    opened.complete(stream);
                    return new RecordingListener();
                });
                RawPeer greedy = RawPeer.greeted(net.address())) {
            greedy.frame(FrameType.OPEN, 1, NOTHING).frame(FrameType.CREDIT, 1, RawPeer.credit(1L << 40));
            BulkStream stream = opened.get(5, TimeUnit.SECONDS);
            byte[] bytes = Payloads.random(1, FRAME);
            int crc = Payloads.crc32c(bytes, 0, FRAME);
            AtomicLong sent = new AtomicLong();
            // The kernel's buffers take the first frames; then nothing moves and the queue is full.
            await().during(Duration.ofMillis(300))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> {
                        boolean moved = false;
                        while (stream.credit() >= FRAME) {
                            stream.send(Payloads.direct(net.serverTransport.allocator(), bytes, 0, FRAME), crc);
                            sent.addAndGet(FRAME);
                            moved = true;
                        }
                        return !moved;
                    });
            assertThat(stream.credit()).isLessThan(FRAME);
            long activeBuffers = Loopback.usedBuffers(net.serverTransport.allocator());
            assertThat(activeBuffers).isLessThan(queue / FRAME + 10);
            for (long taken = 0; taken < sent.get(); taken += FRAME) {
                greedy.read(FrameType.DATA);
            }
        }
    }

    /** 1 GiB from a source that is always ready, to a receiver that takes one frame at a time. */
    @Test
    void aFastSenderAndASlowReceiverHoldBoundedMemory() throws Exception {
        long total = 1L << 30;
        byte[] bytes = Payloads.random(1, FRAME);
        int crc = Payloads.crc32c(bytes, 0, FRAME);
        AtomicLong most = new AtomicLong();
        CompletableFuture<Loopback> started = new CompletableFuture<>();
        BulkHandler handler = (stream, request) -> new RecordingListener() {
            private long left = total;

            @Override
            public void granted() {
                while (left > 0 && stream.credit() >= FRAME) {
                    stream.send(Payloads.direct(started.join().serverTransport.allocator(), bytes, 0, FRAME), crc);
                    left -= FRAME;
                }
                if (left == 0) {
                    left = -1;
                    stream.end(NOTHING);
                }
            }
        };
        try (Loopback net = new Loopback(BulkOptions.defaults(), handler)) {
            started.complete(net);
            CompletableFuture<BulkStream> receiving = new CompletableFuture<>();
            RecordingListener receiver = new RecordingListener() {
                @Override
                public void data(io.netty.buffer.ByteBuf payload, int crc32c) {
                    received.addAndGet(payload.readableBytes());
                    payload.release();
                    most.accumulateAndGet(
                            net.serverTransport.allocator().metric().usedDirectMemory()
                                    + net.clientTransport.allocator().metric().usedDirectMemory(),
                            Math::max);
                    if (received.get() % (2 * FRAME) == 0) {
                        receiving.join().grant(2 * FRAME);
                    }
                }
            };
            BulkStream stream = net.connect().open(NOTHING, receiver);
            receiving.complete(stream);
            stream.grant(2 * FRAME);
            receiver.ended.get(120, TimeUnit.SECONDS);
            assertThat(receiver.received.get()).isEqualTo(total);
            // A piece each.
            assertThat(most.get())
                    .isLessThanOrEqualTo(
                            2L * net.serverTransport.allocator().metric().chunkSize());
        }
    }

    @Test
    void limitsThatMakeNoSenseAreRefused() {
        BulkOptions options = BulkOptions.defaults();
        assertThatThrownBy(() -> options.withMaxStreams(0)).hasMessage("maxStreams: 0 (expected: 1..65536)");
        assertThatThrownBy(() -> options.withMaxConnections(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withMaxFrameBytes((1 << 20) + 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withOutbound(1, 1, 1 << 20)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withTimeouts(Duration.ZERO, LONG))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
