package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.BeginPutRequest;
import io.cloudmw.proto.v1.GetWriteRequest;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlaceChunksResponse;
import io.cloudmw.proto.v1.StatRequest;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drills of subjects that are revoked while they have connections, tokens and streams: at the coordinator and on both
 * planes of a helper, each is refused or ended with a reason of its own, and what is refused is in the audit trail.
 */
class RevocationDrillsIT {
    private static final FilePath FILE = new FilePath(DrillCluster.DATA, "/f");
    private static final int CHUNK = 2 << 20;
    private static final int LEAF = 256 << 10;

    @TempDir
    private static Path directory;

    private static DrillCluster cluster;
    private static Chunk chunk;

    @BeforeAll
    static void startCluster() throws Exception {
        cluster = new DrillCluster(directory);
        chunk = cluster.put(FILE, CHUNK).get(0);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void begin() throws Exception {
        cluster.begin();
    }

    @AfterEach
    void end() throws Exception {
        cluster.end();
    }

    private static String revoked(TlsCredentials subject) {
        ProcessIdentity identity = subject.identity().orElseThrow();
        return "token: revoked: cloudmw://" + identity.cluster() + "/client/" + identity.id()
                + " lost rights after it was issued";
    }

    private static BulkConnection bulk(TlsCredentials subject) throws Exception {
        return cluster.toBulk(
                        Optional.of(subject), subject.identity().orElseThrow().id())
                .get(20, TimeUnit.SECONDS);
    }

    private static byte[] read(TransferToken token, long length) {
        return new BulkRequest.Read(
                        token, new StoreId("d-h1"), chunk.id(), new ByteRange(0, length), Urgency.of(Priority.BATCH))
                .encode();
    }

    /** Waits until the helper has heard of a revocation: it refuses the token. */
    private static CloudMwException awaitRefused(BulkConnection bulk, TransferToken token) {
        return await().until(
                        () -> {
                            DrillStream stream = new DrillStream();
                            bulk.open(read(token, 1), stream).grant(1);
                            return stream.end();
                        },
                        Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void revokedSubjectIsRefusedByTheCoordinatorAndByBothPlanesOfAHelper() throws Exception {
        cluster.grant("former", Right.READ);
        TlsCredentials former = cluster.enrolled("former");
        String tokenId = former.identity().orElseThrow().token().orElseThrow();
        var calls = cluster.toCoordinator(Optional.of(former));
        StatRequest stat = StatRequest.newBuilder()
                .setVolume(DrillCluster.DATA.value())
                .setPath("/f")
                .build();
        assertThat(calls.stat(stat).hasVersion()).isTrue();
        TransferToken token = cluster.planRead(former, FILE);
        BulkConnection bulk = bulk(former);
        var unused = cluster.admin()
                .subjects()
                .revokeToken("former", Optional.empty())
                .join();

        String lost = "subject former: its token " + tokenId + " was revoked, or is over";
        CloudMwException call = DrillCluster.refusal(() -> calls.stat(stat));
        assertThat(call.code()).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(call).hasMessage(lost);
        assertThat(cluster.awaitRefusal(DrillCluster.COORDINATOR, "Stat", 1))
                .containsEntry("subject", "former")
                .containsEntry("role", "client")
                .containsEntry("code", "PERMISSION_DENIED")
                .containsEntry("why", lost);

        CloudMwException opened = awaitRefused(bulk, token);
        assertThat(opened.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(opened).hasMessage(revoked(former));
        assertRevoked(cluster.awaitRefusal(DrillCluster.HELPER, "OpenRead", 1), former);

        CloudMwException control = DrillCluster.refusal(() -> cluster.toHelper(Optional.of(former))
                .getWrite(GetWriteRequest.newBuilder()
                        .setChunkId(chunk.id().toString())
                        .setToken(ToWire.token(token))
                        .build()));
        assertThat(control.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(control).hasMessage(revoked(former));
        assertRevoked(cluster.awaitRefusal(DrillCluster.HELPER, "GetWrite", 1), former);
    }

    private static void assertRevoked(Map<String, String> event, TlsCredentials subject) {
        assertThat(event)
                .containsEntry("subject", subject.identity().orElseThrow().id())
                .containsEntry("code", "UNAUTHENTICATED")
                .containsEntry("why", revoked(subject));
    }

    @Test
    void readUnderWayOfASlowReaderIsReset() throws Exception {
        cluster.grant("slow", Right.READ);
        cluster.grant("witness", Right.READ);
        TlsCredentials slow = cluster.enrolled("slow");
        TlsCredentials witness = cluster.enrolled("witness");
        DrillStream taken = new DrillStream();
        DrillStream kept = new DrillStream();
        BulkStream takenStream = bulk(slow).open(read(cluster.planRead(slow, FILE), CHUNK), taken);
        BulkStream keptStream = bulk(witness).open(read(cluster.planRead(witness, FILE), CHUNK), kept);
        takenStream.grant(LEAF);
        keptStream.grant(LEAF);
        await().until(() -> taken.received() == LEAF && kept.received() == LEAF);

        cluster.grant("slow");

        CloudMwException reset = taken.failure();
        assertThat(reset.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(reset).hasMessage(revoked(slow));
        assertThat(taken.received()).isEqualTo(LEAF);
        keptStream.grant(CHUNK);
        await().until(() -> kept.received() == CHUNK);
        assertThat(kept.end()).isEmpty();
    }

    @Test
    void writeUnderWayIsReset() throws Exception {
        cluster.grant("writer", Right.WRITE);
        TlsCredentials writer = cluster.enrolled("writer");
        FilePath file = new FilePath(DrillCluster.DATA, "/written");
        VersionId version = VersionId.random();
        var calls = cluster.toCoordinator(Optional.of(writer));
        var unused = calls.beginPut(BeginPutRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setSizeBytes(CHUNK)
                .setVersionId(version.value())
                .build());
        PlaceChunksRequest place = PlaceChunksRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setVersionId(version.value())
                .setCount(1)
                .build();
        PlaceChunksResponse placed = calls.placeChunks(place);
        List<Store> stores = new ArrayList<>();
        for (io.cloudmw.proto.v1.Store store : placed.getStoresList()) {
            stores.add(FromWire.store(store));
        }
        DrillStream events = new DrillStream();
        BulkStream stream = bulk(writer)
                .open(
                        new BulkRequest.Write(
                                        TransferToken.of(placed.getToken().toByteArray()),
                                        ChunkId.parse(placed.getPlacements(0).getChunkId()),
                                        CHUNK,
                                        LEAF,
                                        new WriteTargets(stores, FromWire.helpers(placed.getHelpersList())),
                                        1,
                                        file,
                                        version)
                                .encode(),
                        events);
        events.awaitCredit();
        byte[] leaf = new byte[LEAF];
        CRC32C crc = new CRC32C();
        crc.update(leaf);
        stream.send(Unpooled.wrappedBuffer(leaf), (int) crc.getValue()).get(20, TimeUnit.SECONDS);

        cluster.grant("writer");

        CloudMwException reset = events.failure();
        assertThat(reset.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(reset).hasMessage(revoked(writer));
        CloudMwException next = DrillCluster.refusal(() -> calls.placeChunks(place));
        assertThat(next.code()).isEqualTo(ErrorCode.PERMISSION_DENIED);
    }
}
