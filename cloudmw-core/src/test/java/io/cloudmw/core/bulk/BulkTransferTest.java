package io.cloudmw.core.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.channel.epoll.Epoll;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of transfers: bytes from memory and files, in both directions, over either kind of event loop. */
class BulkTransferTest {
    private static final int FRAME = 256 << 10;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void aFileArrivesWholeAndItsChannelStaysOpen(boolean epoll, boolean regions) throws Exception {
        byte[] bytes = Payloads.random(1, 5 * FRAME + 17);
        Path path = Files.write(directory.resolve("chunk"), bytes);
        BulkOptions options = BulkOptions.defaults().withFileRegions(regions);
        try (FileChannel file = FileChannel.open(path);
                Loopback net = new Loopback(
                        options, options, epoll && Epoll.isAvailable(), (stream, request) -> sendFile(stream, file))) {
            RecordingListener received = new RecordingListener();
            BulkStream stream = net.connect().open("read".getBytes(UTF_8), received);
            stream.end(new byte[0]);
            stream.grant(bytes.length);
            assertThat(received.awaitEnd()).isEqualTo("done".getBytes(UTF_8));
            assertThat(received.content()).isEqualTo(bytes);
            assertThat(file.isOpen()).isTrue();
        }
    }

    /** Busy-polling loops transfer the same bytes as others, and end when they are closed. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void streamArrivesWhenTheConnectionExpectsIt(boolean epoll) throws Exception {
        byte[] bytes = Payloads.random(6, 8 * FRAME + 1);
        Path path = Files.write(directory.resolve("chunk"), bytes);
        BulkOptions options = BulkOptions.defaults().withBusyPoll(BulkOptions.LONGEST_BUSY_POLL);
        try (FileChannel file = FileChannel.open(path);
                Loopback net = new Loopback(
                        options, options, epoll && Epoll.isAvailable(), (stream, request) -> sendFile(stream, file))) {
            BulkConnection connection = net.connect();
            for (int i = 0; i < 50; i++) {
                RecordingListener received = new RecordingListener();
                BulkStream stream = connection.open("read".getBytes(UTF_8), received);
                stream.end(new byte[0]);
                stream.grant(bytes.length);
                connection.expect();
                assertThat(received.awaitEnd()).isEqualTo("done".getBytes(UTF_8));
                assertThat(received.content()).isEqualTo(bytes);
            }
        }
    }

    private static BulkStreamListener sendFile(BulkStream stream, FileChannel file) throws CloudMwException {
        return new RecordingListener() {
            private long position;

            @Override
            public void granted() {
                try {
                    while (position < file.size()) {
                        int length = (int) Math.min(FRAME, file.size() - position);
                        if (stream.credit() < length) {
                            return;
                        }
                        byte[] bytes = new byte[length];
                        file.read(java.nio.ByteBuffer.wrap(bytes), position);
                        stream.send(file, position, length, Payloads.crc32c(bytes, 0, length));
                        position += length;
                        if (position == file.size()) {
                            stream.end("done".getBytes(UTF_8));
                        }
                    }
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }
        };
    }

    @Test
    void aWriteIsAnsweredWithATrailer() throws Exception {
        byte[] bytes = Payloads.random(2, 3 << 20);
        RecordingListener atServer = new RecordingListener();
        CompletableFuture<BulkStream> opened = new CompletableFuture<>();
        BulkHandler handler = (stream, request) -> {
            assertThat(request).isEqualTo("write".getBytes(UTF_8));
            stream.grant(bytes.length);
            opened.complete(stream);
            return atServer;
        };
        try (Loopback net = new Loopback(BulkOptions.defaults(), handler)) {
            Sending client = new Sending(net, bytes, 1 << 20);
            BulkStream stream = net.connect().open("write".getBytes(UTF_8), client);
            client.over(stream);
            assertThat(atServer.awaitEnd()).isEqualTo("all".getBytes(UTF_8));
            assertThat(atServer.content()).isEqualTo(bytes);
            opened.get(5, TimeUnit.SECONDS).end("stored".getBytes(UTF_8));
            assertThat(client.awaitEnd()).isEqualTo("stored".getBytes(UTF_8));
        }
    }

    @Test
    void theAcceptingSideOpensStreamsToo() throws Exception {
        byte[] bytes = Payloads.random(3, 1 << 20);
        CompletableFuture<BulkConnection> accepted = new CompletableFuture<>();
        BulkHandler handler = new BulkHandler() {
            @Override
            public BulkStreamListener opened(BulkStream stream, byte[] request) {
                return new RecordingListener();
            }

            @Override
            public void connected(BulkConnection connection) {
                accepted.complete(connection);
            }
        };
        try (Loopback net = new Loopback(BulkOptions.defaults(), handler)) {
            RecordingListener atClient = new RecordingListener();
            BulkConnection connection = net.connect((stream, request) -> {
                stream.grant(bytes.length);
                return atClient;
            });
            BulkConnection there = accepted.get(5, TimeUnit.SECONDS);
            assertThat(there.sessionId()).isEqualTo(connection.sessionId()).isNotEmpty();
            assertThat(there.peer()).isEqualTo("client");
            assertThat(connection.peer()).isEqualTo("server");
            Sending relay = new Sending(net, bytes, 100_000);
            relay.over(there.open("relay".getBytes(UTF_8), relay));
            atClient.awaitEnd();
            assertThat(atClient.content()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void smallRequestsAreAnsweredWhileTheEventLoopOfTheOthersIsOccupied(boolean epoll) throws Exception {
        byte[] bytes = Payloads.random(14, 2 * FRAME);
        SendingHandler sending = new SendingHandler(bytes, FRAME);
        CompletableFuture<Void> occupied = new CompletableFuture<>();
        CompletableFuture<Void> enough = new CompletableFuture<>();
        BulkHandler handler = (stream, request) -> {
            if (request.length > 0) {
                occupied.complete(null);
                enough.join();
            }
            return sending.opened(stream, request);
        };
        BulkOptions options = BulkOptions.defaults();
        try (Loopback net = new Loopback(options, options, epoll && Epoll.isAvailable(), handler)) {
            BulkConnection interactive =
                    net.connector.interactive().connect(net.address(), handler).get(10, TimeUnit.SECONDS);
            RecordingListener bulk = new RecordingListener();
            net.connect().open("occupies it".getBytes(UTF_8), bulk).grant(bytes.length);
            occupied.get(5, TimeUnit.SECONDS);

            RecordingListener small = new RecordingListener();
            interactive.open(new byte[0], small).grant(bytes.length);
            small.awaitEnd();
            assertThat(small.content()).isEqualTo(bytes);
            assertThat(bulk.received.get()).isZero();

            enough.complete(null);
            bulk.awaitEnd();
        } finally {
            enough.complete(null);
        }
    }

    @Test
    void closedConnectionsTellThePeerTheReason() throws Exception {
        CompletableFuture<BulkConnection> accepted = new CompletableFuture<>();
        RecordingListener here = new RecordingListener();
        BulkHandler handler = new BulkHandler() {
            @Override
            public BulkStreamListener opened(BulkStream stream, byte[] request) {
                accepted.complete(stream.connection());
                return here;
            }
        };
        try (Loopback net = new Loopback(BulkOptions.defaults(), handler)) {
            RecordingListener there = new RecordingListener();
            net.connect().open(new byte[0], there);
            accepted.get(5, TimeUnit.SECONDS).close(new CloudMwException(ErrorCode.OVERLOADED, "closed for others"));
            assertThat(there.awaitFailure())
                    .hasMessageContaining("closed for others")
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.OVERLOADED));
            assertThat(here.awaitFailure().code()).isEqualTo(ErrorCode.OVERLOADED);
        }
    }

    @Test
    void aStalledStreamDoesNotHoldUpTheOthers() throws Exception {
        byte[] bytes = Payloads.random(4, 2 << 20);
        try (Loopback net = new Loopback(BulkOptions.defaults(), new SendingHandler(bytes, FRAME))) {
            BulkConnection connection = net.connect();
            RecordingListener stalled = new RecordingListener();
            BulkStream first = connection.open(new byte[0], stalled);
            first.grant(FRAME);
            for (int i = 0; i < 3; i++) {
                RecordingListener flowing = new RecordingListener();
                connection.open(new byte[0], flowing).grant(bytes.length);
                flowing.awaitEnd();
                assertThat(flowing.content()).isEqualTo(bytes);
            }
            await().untilAsserted(() -> assertThat(stalled.received.get()).isEqualTo(FRAME));
            first.grant(bytes.length);
            stalled.awaitEnd();
            assertThat(stalled.content()).isEqualTo(bytes);
        }
    }

    @Test
    void streamsTakeTurnsFrameByFrame() throws Exception {
        int frames = 120; // more than sockets buffer
        byte[] bytes = Payloads.random(5, frames * FRAME);
        List<Integer> order = new ArrayList<>();
        BulkOptions options = BulkOptions.defaults().withOutbound(FRAME, 1 << 30, 1 << 20);
        try (Loopback net = new Loopback(options, new SendingHandler(bytes, FRAME))) {
            BulkConnection connection = net.connect();
            List<RecordingListener> listeners = new ArrayList<>();
            List<BulkStream> streams = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int number = i;
                RecordingListener listener = new RecordingListener() {
                    @Override
                    public void data(io.netty.buffer.ByteBuf payload, int crc32c) {
                        order.add(number);
                        super.data(payload, crc32c);
                    }
                };
                listeners.add(listener);
                streams.add(connection.open(new byte[0], listener));
            }
            // Both get their credit in one turn of the event loop: neither has a head start.
            RecordingListener starter = new RecordingListener() {
                @Override
                public void data(io.netty.buffer.ByteBuf payload, int crc32c) {
                    streams.forEach(stream -> stream.grant(bytes.length));
                    super.data(payload, crc32c);
                }
            };
            connection.open(new byte[0], starter).grant(FRAME);
            for (RecordingListener listener : listeners) {
                listener.awaitEnd();
            }
            // The second stream did not wait for the end of the first.
            assertThat(order.indexOf(1)).isLessThan(frames);
            assertThat(order.subList(order.indexOf(1), frames).stream().filter(n -> n == 1))
                    .hasSizeGreaterThan((frames - order.indexOf(1)) / 3);
        }
    }

    @Test
    void resetEndsOneStreamAndTheConnectionGoesOn() throws Exception {
        byte[] bytes = Payloads.random(6, 8 << 20);
        SendingHandler handler = new SendingHandler(bytes, FRAME);
        try (Loopback net = new Loopback(BulkOptions.defaults(), handler)) {
            BulkConnection connection = net.connect();
            RecordingListener cancelled = new RecordingListener();
            BulkStream stream = connection.open(new byte[0], cancelled);
            stream.grant(bytes.length);
            await().until(() -> cancelled.received.get() > 0);
            stream.reset(ErrorCode.CANCELLED, "lost the race");
            CloudMwException seen = handler.last().awaitFailure();
            assertThat(seen.code()).isEqualTo(ErrorCode.CANCELLED);
            assertThat(seen).hasMessage("lost the race");
            RecordingListener next = new RecordingListener();
            connection.open(new byte[0], next).grant(bytes.length);
            next.awaitEnd();
            assertThat(next.content()).isEqualTo(bytes);
            assertThat(cancelled.failures).hasValue(0);
            assertThat(net.violations()).isZero();
        }
    }

    @Test
    void aHandlerRefusesAStreamWithItsOwnCode() throws Exception {
        BulkHandler handler = (stream, request) -> {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, "token expired");
        };
        try (Loopback net = new Loopback(BulkOptions.defaults(), handler)) {
            RecordingListener refused = new RecordingListener();
            net.connect().open(new byte[0], refused);
            assertThat(refused.awaitFailure().code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
            assertThat(refused.awaitFailure()).hasMessage("token expired");
        }
    }

    @Test
    void aListenerThatThrowsLosesItsStreamOnly() throws Exception {
        byte[] bytes = Payloads.random(7, 1 << 20);
        SendingHandler handler = new SendingHandler(bytes, FRAME);
        try (Loopback net = new Loopback(BulkOptions.defaults(), handler)) {
            BulkConnection connection = net.connect();
            RecordingListener clumsy = new RecordingListener() {
                @Override
                public void data(io.netty.buffer.ByteBuf payload, int crc32c) {
                    payload.release();
                    throw new IllegalStateException("clumsy");
                }
            };
            connection.open(new byte[0], clumsy).grant(bytes.length);
            assertThat(clumsy.awaitFailure().code()).isEqualTo(ErrorCode.INTERNAL);
            assertThat(handler.last().awaitFailure().code()).isEqualTo(ErrorCode.INTERNAL);
            RecordingListener next = new RecordingListener();
            connection.open(new byte[0], next).grant(bytes.length);
            next.awaitEnd();
        }
    }

    @Test
    void sendingMoreThanTheCreditIsADefectOfTheCallerAndTouchesNothing() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults(), (stream, request) -> {
            stream.grant(100);
            return new RecordingListener();
        })) {
            RecordingListener listener = new RecordingListener();
            BulkStream stream = net.connect().open(new byte[0], listener);
            await().until(() -> stream.credit() == 100);
            byte[] bytes = new byte[101];
            assertThatThrownBy(() -> stream.send(
                            Payloads.direct(net.clientTransport.allocator(), bytes, 0, 101),
                            Payloads.crc32c(bytes, 0, 101)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("length: 101 (credit: 100)");
            stream.send(Payloads.direct(net.clientTransport.allocator(), bytes, 0, 100), Payloads.crc32c(bytes, 0, 100))
                    .get(5, TimeUnit.SECONDS);
            assertThat(stream.credit()).isZero();
            assertThat(listener.failures).hasValue(0);
        }
    }

    @Test
    void aFileThatIsTooShortFailsTheStreamOnBothSides() throws Exception {
        Path path = Files.write(directory.resolve("short"), new byte[10]);
        CompletableFuture<CompletableFuture<Void>> sent = new CompletableFuture<>();
        RecordingListener atServer = new RecordingListener();
        try (FileChannel file = FileChannel.open(path);
                Loopback net = new Loopback(BulkOptions.defaults(), (stream, request) -> {
                    return new RecordingListener() {
                        @Override
                        public void granted() {
                            sent.complete(stream.send(file, 0, 11, 0));
                        }

                        @Override
                        public void failed(CloudMwException cause) {
                            atServer.failed(cause);
                        }
                    };
                })) {
            RecordingListener listener = new RecordingListener();
            net.connect().open(new byte[0], listener).grant(100);
            assertThat(listener.awaitFailure().code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
            assertThat(atServer.awaitFailure().code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
            assertThat(sent.get(5, TimeUnit.SECONDS)).isCompletedExceptionally();
        }
    }

    @Test
    void closingTheConnectionFailsItsStreamsOnBothSides() throws Exception {
        SendingHandler handler = new SendingHandler(new byte[FRAME], FRAME);
        try (Loopback net = new Loopback(BulkOptions.defaults(), handler)) {
            BulkConnection connection = net.connect();
            RecordingListener listener = new RecordingListener();
            BulkStream stream = connection.open(new byte[0], listener);
            await().until(() -> handler.opened() == 1);
            connection.close();
            await().until(connection::isClosed);
            assertThat(listener.awaitFailure().code()).isEqualTo(ErrorCode.CANCELLED);
            assertThat(handler.last().awaitFailure().code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
            stream.grant(1);
            stream.reset(ErrorCode.CANCELLED, "again");
            stream.end(new byte[0]);
            RecordingListener late = new RecordingListener();
            connection.open(new byte[0], late);
            assertThat(late.awaitFailure().code()).isEqualTo(ErrorCode.CANCELLED);
        }
    }

    @Test
    void connectingToNobodyFailsWithHelperUnavailable() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults(), new SendingHandler(new byte[1], 1))) {
            var address = net.address();
            net.server.close();
            await().untilAsserted(() -> assertThatThrownBy(() -> net.connector
                            .connect(address, new SendingHandler(new byte[1], 1))
                            .get(10, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE)));
        }
    }

    @Test
    void namesAreLookedUpAndConnectingAfterTheEndFails() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults(), new SendingHandler(new byte[1], 1))) {
            InetSocketAddress named = InetSocketAddress.createUnresolved("localhost", net.server.port());
            BulkHandler none = new SendingHandler(new byte[1], 1);
            assertThat(net.connector
                            .connect(named, none)
                            .get(10, TimeUnit.SECONDS)
                            .peer())
                    .isEqualTo("server");
            net.clientTransport.close();
            assertThat(net.connector.connect(named, none)).failsWithin(Duration.ofSeconds(10));
            assertThat(net.connector.connect(net.address(), none)).failsWithin(Duration.ofSeconds(10));
        }
    }

    @Test
    void aConnectionCanBeGivenUpWhileItIsMade() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults(), new SendingHandler(new byte[1], 1));
                ServerSocket mute = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            CompletableFuture<BulkConnection> connecting = net.connector.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), mute.getLocalPort()),
                    new SendingHandler(new byte[1], 1));
            try (RawPeer server = new RawPeer(mute.accept())) {
                server.read(FrameType.HELLO);
                connecting.cancel(true);
                assertThat(server.awaitClosed()).isNull();
            }
        }
    }

    @Test
    void lostConnectionClosedByItsListenerStillFailsStreamsAsLost() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults(), (stream, request) -> new RecordingListener())) {
            BulkConnection connection = net.connect();
            CompletableFuture<Void> cleaned = new CompletableFuture<>();
            connection.onClosed(() -> {
                connection.close();
                cleaned.complete(null);
            });
            RecordingListener listener = new RecordingListener();
            connection.open("read".getBytes(UTF_8), listener);

            net.server.close();

            assertThat(listener.awaitFailure().code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
            cleaned.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void closedConnectionNotifiesOnlyRemainingListeners() throws Exception {
        try (Loopback net = new Loopback(BulkOptions.defaults(), (stream, request) -> new RecordingListener())) {
            BulkConnection connection = net.connect();
            CompletableFuture<Void> told = new CompletableFuture<>();
            CompletableFuture<Void> forgotten = new CompletableFuture<>();
            connection.onClosed(() -> told.complete(null));
            connection.onClosed(() -> forgotten.complete(null)).run();
            assertThat(connection.isClosed()).isFalse();

            net.server.close();

            told.get(10, TimeUnit.SECONDS);
            assertThat(connection.isClosed()).isTrue();
            assertThat(forgotten).isNotDone();
            CompletableFuture<Void> late = new CompletableFuture<>();
            connection.onClosed(() -> late.complete(null));
            assertThat(late).isDone();
        }
    }
}
