package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.schedule.LocalDeadline;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.ChunkReadingContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.remote.HelperConnections;
import io.cloudmw.helper.remote.RemoteDiskStore;
import io.cloudmw.helper.remote.RemoteRights;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a disk of another helper through its real planes. */
@Timeout(60)
final class RemoteDiskStoreTest extends ChunkReadingContract {
    private final BulkTransport transport =
            new BulkTransport("test", 1, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry());
    private final HelperConnections connections =
            new HelperConnections(new BulkConnector(transport, "h9"), 1, Ticker.system(), Duration.ZERO);
    private final AtomicInteger chunks = new AtomicInteger();
    private final HelperCluster cluster;

    RemoteDiskStoreTest(@TempDir Path directory) throws CloudMwException {
        cluster = new HelperCluster(directory, Map.of(), -1, -1);
    }

    @Override
    protected ChunkStore create() {
        return store(TransferRight.READ);
    }

    private ChunkStore store(TransferRight right) {
        return store(0, right);
    }

    private ChunkStore store(int helper, TransferRight right) {
        return store(helper, right, cluster.version);
    }

    private ChunkStore store(int helper, TransferRight right, VersionId version) {
        return new RemoteDiskStore(
                cluster.stores().get(helper),
                cluster.addresses().get(helper),
                connections,
                rights(right, version, () -> Urgency.of(Priority.BATCH)));
    }

    private RemoteRights rights(TransferRight right, VersionId version, Supplier<Urgency> urgency) {
        return new RemoteRights(
                cluster.token(right, version),
                new TransferClaims(Set.of(right), HelperCluster.FILE, version, Long.MAX_VALUE),
                cluster.tokens(),
                urgency);
    }

    /** The token of a transfer is for one version. */
    @Override
    protected ChunkId newChunk() {
        return new ChunkId(cluster.version, chunks.getAndIncrement());
    }

    @Override
    protected void seed(ChunkStore into, ChunkId chunk, byte[] bytes) throws Exception {
        store(TransferRight.WRITE).put(chunk, Chunks.source(bytes));
    }

    @AfterEach
    void stopCluster() {
        connections.close();
        transport.close();
        cluster.close();
    }

    @Test
    void operationWithoutTheRightIsRefused() throws Exception {
        ChunkId chunk = newChunk();
        assertThat(failure(() -> Chunks.read(store(TransferRight.WRITE), chunk, 0, 1))
                        .code())
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(failure(() -> store().put(chunk, Chunks.source(new byte[1]))).code())
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    /** The requesting helper has verified the right to read. */
    @Test
    void chunkOfAnotherVersionIsReadWithATokenForThatVersion() throws Exception {
        VersionId other = VersionId.random();
        ChunkId shared = new ChunkId(other, 3);
        store(0, TransferRight.WRITE, other).put(shared, Chunks.source(new byte[10]));
        assertThat(Chunks.read(store(), shared, 0, 10)).hasSize(10);
    }

    /** With one connection for two helpers, a request fails until the other lease is closed. */
    @Test
    void connectionIsLeasedUntilAReadIsClosedOrAPutEnds() throws Exception {
        ChunkId first = newChunk();
        ChunkId second = newChunk();
        store(0, TransferRight.WRITE).put(first, Chunks.source(new byte[10]));
        store(1, TransferRight.WRITE).put(second, Chunks.source(new byte[20]));
        ChunkReader reading = store(0, TransferRight.READ).read(first, new ByteRange(0, 10));
        assertThat(failure(() -> Chunks.read(store(1, TransferRight.READ), second, 0, 20))
                        .code())
                .isEqualTo(ErrorCode.OVERLOADED);
        reading.close();
        assertThat(Chunks.read(store(1, TransferRight.READ), second, 0, 20)).hasSize(20);
    }

    /** The owner has a clock of its own. */
    @Test
    void ownerHearsTheRemainingTimeOfADeadline() throws Exception {
        CompletableFuture<BulkRequest.Read> asked = new CompletableFuture<>();
        BulkHandler owner = (stream, request) -> {
            asked.complete((BulkRequest.Read) BulkRequest.decode(request));
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "not now");
        };
        FakeTicker ticker = new FakeTicker();
        LocalDeadline due = new LocalDeadline(new Urgency(Priority.BATCH, Optional.of(Duration.ofSeconds(10))), ticker);
        try (BulkServer server = BulkServer.bind(
                transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "owner", owner)) {
            HelperAddress address =
                    new HelperAddress(new HelperId("owner"), "127.0.0.1:1", "127.0.0.1:" + server.port());
            ChunkStore disk = new RemoteDiskStore(
                    cluster.stores().get(0), address, connections, rights(TransferRight.READ, cluster.version, due));
            ticker.advance(Duration.ofSeconds(4));
            assertThat(failure(() -> Chunks.read(disk, newChunk(), 0, 1)).code())
                    .isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        }
        assertThat(asked.join().urgency()).isEqualTo(new Urgency(Priority.BATCH, Optional.of(Duration.ofSeconds(6))));
    }

    @Test
    void diskIsUnavailableWhenItsOwnerIsDown() throws Exception {
        ChunkId chunk = newChunk();
        seed(store(), chunk, new byte[10]);
        cluster.close();
        assertThat(failure(() -> Chunks.read(store(), chunk, 0, 10)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }
}
