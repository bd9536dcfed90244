package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.ChunkReadingContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.helper.peer.PeerConnections;
import io.cloudmw.helper.peer.PeerDiskStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk of another helper, through its real planes: put with the right to write, read with the right to read. */
@Timeout(60)
final class PeerDiskStoreTest extends ChunkReadingContract {
    private final BulkTransport transport =
            new BulkTransport("test", 1, BulkOptions.defaults(), new SimpleMeterRegistry());
    private final PeerConnections connections = new PeerConnections(new BulkConnector(transport, "h9"), 1);
    private final AtomicInteger chunks = new AtomicInteger();
    private final HelperCluster cluster;

    PeerDiskStoreTest(@TempDir Path directory) throws CloudMwException {
        cluster = new HelperCluster(directory, Map.of(), -1);
    }

    @Override
    protected ChunkStore create() {
        return store(TransferRight.READ);
    }

    private ChunkStore store(TransferRight right) {
        return new PeerDiskStore(
                cluster.stores().get(0),
                cluster.addresses().get(0),
                connections,
                cluster.token(right),
                new TransferClaims(Set.of(right), HelperCluster.FILE, cluster.version, Long.MAX_VALUE));
    }

    /** A transfer's token is for one version. */
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
    void whatTheTokenDoesNotAllowIsRefused() throws Exception {
        ChunkId other = new ChunkId(VersionId.random(), 0);
        assertThat(failure(() -> Chunks.read(store(), other, 0, 1)).code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        ChunkId chunk = newChunk();
        assertThat(failure(() -> store().put(chunk, Chunks.source(new byte[1]))).code())
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void anOwnerThatIsGoneMakesTheStoreUnavailable() throws Exception {
        ChunkId chunk = newChunk();
        seed(store(), chunk, new byte[10]);
        cluster.close();
        assertThat(failure(() -> Chunks.read(store(), chunk, 0, 10)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }
}
