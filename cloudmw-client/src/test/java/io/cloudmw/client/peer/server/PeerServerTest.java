package io.cloudmw.client.peer.server;

import static io.cloudmw.client.peer.server.Chunks.LEAF;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.testing.FakeTicker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer over a real connection. */
final class PeerServerTest {
    private static final int LENGTH = 10 * LEAF + 5;
    private static final VersionId VERSION = VersionId.random();
    private static final FilePath FILE = FilePath.parse("near:/f");
    private static final PeerId SELF = new PeerId("me");
    private static final int UPLOADS = 2;

    @TempDir
    private Path directory;

    private final FakeTicker ticker = new FakeTicker();
    private final PeerKey key = PeerKey.random();
    private final byte[] bytes = Chunks.bytes(LENGTH, 7);
    private final Chunk chunk = Chunks.of(VERSION, 4, bytes);
    private final BulkTransport transport =
            new BulkTransport("test", 1, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry());
    private PeerChunkCache held;
    private PeerServer server;
    private BulkConnection connection;

    @BeforeEach
    void start() throws Exception {
        held = new PeerChunkCache(directory, 1 << 20, Runnable::run);
        Chunks.hold(held, chunk, bytes);
        PeerOptions options = PeerOptions.at("127.0.0.1:0").withUploads(UPLOADS);
        server = new PeerServer(SELF, Optional.empty(), key.tokens(this::now), held, options, ticker);
        connection = connect();
    }

    private BulkConnection connect() throws Exception {
        return new BulkConnector(transport, "test")
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), (stream, request) -> {
                    throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "nothing is served here");
                })
                .get(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        connection.close();
        server.close();
        held.close();
        transport.close();
    }

    private long now() {
        return 1_000_000 + ticker.nanos() / 1_000_000;
    }

    /** The results of one request. */
    private static final class Got implements BulkStreamListener {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final CompletableFuture<byte[]> done = new CompletableFuture<>();
        final CompletableFuture<BulkStream> stream = new CompletableFuture<>();

        @Override
        public void data(ByteBuf payload, int crc32c) {
            byte[] some = new byte[payload.readableBytes()];
            payload.readBytes(some).release();
            bytes.writeBytes(some);
        }

        @Override
        public void ended(byte[] trailer) {
            stream.join().end(trailer);
            done.complete(bytes.toByteArray());
        }

        @Override
        public void granted() {}

        @Override
        public void failed(CloudMwException cause) {
            done.completeExceptionally(cause);
        }

        ErrorCode code() {
            return done.handle((all, failure) -> {
                        assertThat(failure).isInstanceOf(CloudMwException.class);
                        return ((CloudMwException) failure).code();
                    })
                    .join();
        }
    }

    private TransferToken token(PeerKey signer, TransferRight right, VersionId version) {
        return signer.tokens(this::now).issue(new TransferClaims(Set.of(right), FILE, version, now() + 1000));
    }

    private BulkRequest.Read request(TransferToken token, ByteRange range) {
        return new BulkRequest.Read(
                token, new StoreId(SELF.value()), chunk.id(), range, Urgency.of(Priority.INTERACTIVE));
    }

    private Got ask(BulkRequest request, long credit) {
        return ask(connection, request, credit);
    }

    private static Got ask(BulkConnection on, BulkRequest request, long credit) {
        Got got = new Got();
        BulkStream stream = on.open(request.encode(), got);
        got.stream.complete(stream);
        if (credit > 0) {
            stream.grant(credit);
        }
        return got;
    }

    private TransferToken good() {
        return token(key, TransferRight.READ, VERSION);
    }

    @Test
    void heldChunkIsSentLeafByLeafWithinCredit() throws Exception {
        assertThat(ask(request(good(), new ByteRange(0, LENGTH)), LENGTH).done.join())
                .isEqualTo(bytes);
        assertThat(ask(request(good(), new ByteRange(2 * LEAF, LENGTH - 2 * LEAF)), LENGTH)
                        .done
                        .join())
                .isEqualTo(Arrays.copyOfRange(bytes, 2 * LEAF, LENGTH));
        await().until(() -> server.sentBytes() == 2L * LENGTH - 2 * LEAF);

        Got part = ask(request(good(), new ByteRange(0, LENGTH)), 3 * LEAF + 1);
        await().until(() -> part.bytes.size() == 3 * LEAF);
        assertThat(part.done).isNotDone();
    }

    @Test
    void readerWithoutTokenForPeerVersionAndTimeIsRefused() throws Exception {
        ByteRange all = new ByteRange(0, LENGTH);
        assertThat(ask(request(token(PeerKey.random(), TransferRight.READ, VERSION), all), LENGTH)
                        .code())
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(ask(request(token(key, TransferRight.WRITE, VERSION), all), LENGTH)
                        .code())
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(ask(request(token(key, TransferRight.READ, VersionId.random()), all), LENGTH)
                        .code())
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
        TransferToken late = good();
        ticker.advance(Duration.ofSeconds(1));
        assertThat(ask(request(late, all), LENGTH).code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(server.refused()).isEqualTo(4);
        assertThat(server.sentBytes()).isZero();
    }

    @Test
    void peerServesOnlyHeldChunksUnderItsOwnName() {
        ChunkId other = new ChunkId(VERSION, 5);
        BulkRequest.Read notHeld = new BulkRequest.Read(
                good(), new StoreId(SELF.value()), other, new ByteRange(0, LEAF), Urgency.of(Priority.BATCH));
        assertThat(ask(notHeld, LEAF).code()).isEqualTo(ErrorCode.NOT_FOUND);
        BulkRequest.Read another = new BulkRequest.Read(
                good(), new StoreId("another"), chunk.id(), new ByteRange(0, LEAF), Urgency.of(Priority.BATCH));
        assertThat(ask(another, LEAF).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(ask(request(good(), new ByteRange(1, LEAF)), LEAF).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void uploadsBeyondTheLimitAreRefusedUntilOneEnds() {
        ByteRange all = new ByteRange(0, LENGTH);
        Got first = ask(request(good(), all), LEAF);
        Got second = ask(request(good(), all), LEAF);
        await().until(() -> first.bytes.size() == LEAF && second.bytes.size() == LEAF);
        assertThat(ask(request(good(), all), LENGTH).code()).isEqualTo(ErrorCode.OVERLOADED);

        ticker.advance(Duration.ofSeconds(31));
        server.endIdle();
        assertThat(first.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(second.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        await().untilAsserted(() ->
                assertThat(ask(request(good(), all), LENGTH).done.join()).isEqualTo(bytes));
    }

    @Test
    void newNeighbourIsServedDespiteManyIdleConnections() throws Exception {
        BulkRequest all = request(good(), new ByteRange(0, LENGTH));
        BulkConnection eldest = connect();
        assertThat(ask(eldest, all, LENGTH).done.join()).isEqualTo(bytes);
        Got slow = ask(all, LEAF);
        await().until(() -> slow.bytes.size() == LEAF);
        for (int neighbour = 0; neighbour < 5 * UPLOADS; neighbour++) {
            // Closed with the transport: a reader keeps its connection for its next read.
            BulkConnection kept = connect();
            // An upload holds its slot until the last frame is known to have left.
            await().ignoreExceptions()
                    .until(() -> Arrays.equals(ask(kept, all, LENGTH).done.join(), bytes));
        }
        await().until(eldest::isClosed);
        // The server kept this connection, because it was in use all the time.
        slow.stream.join().grant(LENGTH);
        assertThat(slow.done.join()).isEqualTo(bytes);
        assertThat(connection.isClosed()).isFalse();
        // A request that crosses with the close fails with OVERLOADED, which blames no peer.
        assertThat(ask(eldest, all, LENGTH).code()).isEqualTo(ErrorCode.OVERLOADED);
    }

    @Test
    void refusedNeighboursConnectionCountsAsIdle() throws Exception {
        ByteRange all = new ByteRange(0, LENGTH);
        BulkRequest bad = request(token(PeerKey.random(), TransferRight.READ, VERSION), all);
        for (int neighbour = 0; neighbour < 5 * UPLOADS; neighbour++) {
            assertThat(ask(connect(), bad, LENGTH).code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        }
        await().until(connection::isClosed);
        assertThat(ask(connect(), request(good(), all), LENGTH).done.join()).isEqualTo(bytes);
    }

    @Test
    void chunkReportedCorruptIsDropped() throws Exception {
        PeerChunk here = Objects.requireNonNull(held.use(chunk.id()));
        here.file().write(ByteBuffer.wrap(new byte[] {(byte) ~bytes[LEAF]}), LEAF);
        held.end(here);
        assertThat(ask(request(good(), new ByteRange(0, LENGTH)), LENGTH).code())
                .isEqualTo(ErrorCode.REPLICA_CORRUPT);
        await().until(() -> held.held().isEmpty());
        assertThat(held.bytes()).isZero();
    }
}
