package io.cloudmw.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.proto.v1.Helper;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class WireTest {
    private static final VersionId VERSION = new VersionId("0123456789abcdef0123456789abcdef");
    private static final FilePath FILE = FilePath.parse("photos:/a/b.jpg");
    private static final Optional<ReadTarget> TARGET = Optional.of(ReadTarget.parse("p99 of 64MiB under 900ms"));
    private static final List<StoreId> STORES = List.of(new StoreId("s1"), new StoreId("s2"), new StoreId("s3"));

    @Test
    void volumesComeBackAsTheyWere() throws Exception {
        for (Chunking chunking : List.of(
                new Chunking.ByCount(3),
                new Chunking.BySize(1 << 20),
                new Chunking.ByCount(3, 4 << 10),
                new Chunking.BySize(1 << 20, 64 << 10))) {
            for (boolean peers : List.of(false, true)) {
                Volume volume = new Volume(
                        new VolumeName("photos"),
                        chunking,
                        3,
                        STORES,
                        2,
                        Mode.ROUNDS,
                        true,
                        1_700_000_000_000L,
                        TARGET,
                        peers);
                assertThat(FromWire.volume(ToWire.volume(volume))).isEqualTo(volume);
            }
        }
    }

    @Test
    void aVolumeThatSaysNothingOfItsLeavesHasTheUsualOnes() throws Exception {
        Volume volume = new Volume(
                new VolumeName("photos"), new Chunking.ByCount(3), 3, STORES, 2, Mode.ROUNDS, true, 1_700_000_000_000L);
        assertThat(FromWire.volume(
                        ToWire.volume(volume).toBuilder().clearLeafSizeBytes().build()))
                .isEqualTo(volume);
    }

    @Test
    void storesComeBackAsTheyWere() throws Exception {
        Store bucket = new Store(
                new StoreId("s1"), "eu", new Store.S3("bucket", "eu-west-1", "http://127.0.0.1:4566", true, "p/"));
        Store disk = new Store(new StoreId("d1"), "rack", new Store.Disk(new HelperId("h1"), Path.of("/data/d1")));
        BucketEncryption kms = BucketEncryption.kms("arn:aws:kms:eu-west-1:123456789012:key/k", true);
        for (Store store : List.of(bucket, disk, bucket.with(kms), bucket.with(BucketEncryption.AES256))) {
            assertThat(FromWire.store(ToWire.store(store))).isEqualTo(store);
            for (StoreStatus status : List.of(
                    new StoreStatus(store, true),
                    new StoreStatus(store, false, true, OptionalLong.of(0)),
                    new StoreStatus(store, true, false, OptionalLong.of(1L << 40), 1L << 30))) {
                assertThat(FromWire.storeStatus(ToWire.store(status))).isEqualTo(status);
            }
        }
    }

    @Test
    void chunksVersionsAndReportsComeBackAsTheyWere() throws Exception {
        assertThat(FromWire.chunk(ToWire.chunk(chunk(7, 1000)))).isEqualTo(chunk(7, 1000));
        assertThat(FromWire.version(ToWire.version(version()))).isEqualTo(version());
        for (ReplicaState state : ReplicaState.values()) {
            ReplicaReport report = new ReplicaReport(new ChunkId(VERSION, 9), STORES.get(1), state);
            if (state == ReplicaState.GOOD || state.isFault()) {
                assertThat(FromWire.report(ToWire.report(report))).isEqualTo(report);
            } else {
                // Decisions of upkeep are not reported.
                assertThatThrownBy(() -> ToWire.report(report)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void plansComeBackAsTheyWere() throws Exception {
        HelperAddress helper = new HelperAddress(
                new HelperId("h1"),
                "127.0.0.1:7000",
                "[::1]:7001",
                VolumeSet.parse("b,a"),
                Location.parse("zone-a/host-3"),
                true);
        StoreStatus store =
                new StoreStatus(new Store(STORES.get(0), "eu", new Store.S3("b", "eu-west-1", "", false, "")), true);
        TransferToken token = TransferToken.of(new byte[] {1, 2, 3});
        PlannedChunk planned = new PlannedChunk(
                chunk(1, 1000),
                Set.of(STORES.get(2)),
                List.of(new Entrant(new RacerId(1), 0), new Entrant(new RacerId(0), 1)),
                Map.of(STORES.get(0), URI.create("http://127.0.0.1/x?sig=1")));
        ReadPlan read = new ReadPlan(
                version(),
                List.of(helper),
                List.of(store),
                Mode.ROUNDS,
                true,
                token,
                3,
                MonitorWireTest.book(),
                TARGET,
                1,
                OptionalInt.of(0),
                true,
                Optional.of("record"),
                List.of(planned));
        assertThat(FromWire.readPlan(ToWire.readPlan(read))).isEqualTo(read);

        PlacedChunk placed = new PlacedChunk(
                new ChunkId(VERSION, 0),
                STORES,
                STORES.subList(2, 3),
                helper.id(),
                Map.of(STORES.get(0), new HelperId("carrier")));
        WritePlan write = new WritePlan(List.of(placed), List.of(store), List.of(helper), token);
        assertThat(FromWire.writePlan(ToWire.writePlan(write))).isEqualTo(write);

        assertThat(FromWire.plannedChunk(ToWire.plannedChunk(planned))).isEqualTo(planned);
        PlannedChunk movedAndShared = new PlannedChunk(
                planned.chunk(),
                planned.bad(),
                planned.entrants(),
                planned.direct(),
                new ChunkId(VersionId.random(), 0).slice(new ByteRange(7, 1000)),
                List.of(STORES.get(0), new StoreId("before")),
                Optional.of(token));
        assertThat(FromWire.plannedChunk(ToWire.plannedChunk(movedAndShared))).isEqualTo(movedAndShared);
    }

    @Test
    void blocksComeBackAsTheyWere() throws Exception {
        assertThat(FromWire.block(ToWire.block(block(new ByteRange(400, 600), 2))))
                .isEqualTo(block(new ByteRange(400, 600), 2));
        IssuedBlock own = block(new ByteRange(400, 600), 2);
        IssuedBlock shared = new IssuedBlock(
                own.block(),
                own.chunk(),
                own.chunkLength(),
                own.leafSizeBytes(),
                own.leafCrc32c(),
                own.replicas(),
                own.extra(),
                Optional.of(TransferToken.of(new byte[] {1, 2})));
        assertThat(FromWire.block(ToWire.block(shared))).isEqualTo(shared).isNotEqualTo(own);
    }

    @Test
    void aBlockMustLieInItsChunkAlignedToLeavesWithOneChecksumEach() {
        refused(() -> FromWire.block(ToWire.block(block(new ByteRange(400, 601), 2))));
        refused(() -> FromWire.block(ToWire.block(block(new ByteRange(399, 601), 2))));
        refused(() -> FromWire.block(ToWire.block(block(new ByteRange(400, 500), 2))));
        refused(() -> FromWire.block(ToWire.block(block(new ByteRange(400, 600), 3))));
        refused(() -> FromWire.block(io.cloudmw.proto.v1.Block.getDefaultInstance()));
    }

    @Test
    void aBlockBarsReplicasItHasAndNoneThatAnEntrantIsToRead() {
        io.cloudmw.proto.v1.Block good = ToWire.block(block(new ByteRange(400, 600), 2));
        refused(() -> FromWire.block(good.toBuilder().addBarredReplicas(0).build()));
        refused(() -> FromWire.block(good.toBuilder().addBarredReplicas(3).build()));
        refused(() -> FromWire.block(good.toBuilder().addBarredReplicas(-1).build()));
    }

    @Test
    void emptyMessagesAreRefusedNotThrownAt() {
        refused(() -> FromWire.volume(io.cloudmw.proto.v1.Volume.getDefaultInstance()));
        refused(() -> FromWire.store(io.cloudmw.proto.v1.Store.getDefaultInstance()));
        refused(() -> FromWire.store(encryptedWith("aws:another")));
        refused(() -> FromWire.chunk(io.cloudmw.proto.v1.Chunk.getDefaultInstance()));
        refused(() -> FromWire.version(io.cloudmw.proto.v1.FileVersion.getDefaultInstance()));
        refused(() -> FromWire.report(io.cloudmw.proto.v1.ReplicaReport.getDefaultInstance()));
        refused(() -> FromWire.helper(Helper.getDefaultInstance()));
        refused(() -> FromWire.plannedChunk(io.cloudmw.proto.v1.PlannedChunk.getDefaultInstance()));
        refused(() -> FromWire.file("v", "relative"));
        refused(() -> FromWire.file("v", "/a/../b"));
        refused(() -> FromWire.token(new byte[TransferToken.MAX_BYTES + 1]));
    }

    @Test
    void addressesNeedAHostAndAPort() {
        for (String address :
                List.of("", "host", ":1", "host:", "host:0", "host:65536", "host:x", "h".repeat(300) + ":1")) {
            refused(() -> FromWire.helper(Helper.newBuilder()
                    .setId("h")
                    .setControlAddress(address)
                    .setBulkAddress("host:1")
                    .build()));
        }
    }

    @Test
    void chunksWithImpossibleNumbersAreRefused() {
        io.cloudmw.proto.v1.Chunk good = ToWire.chunk(chunk(7, 1000));
        refused(() -> FromWire.chunk(good.toBuilder().setLength(0).build()));
        refused(() -> FromWire.chunk(good.toBuilder().setLength(Long.MAX_VALUE).build()));
        refused(() -> FromWire.chunk(good.toBuilder().setOffset(-1).build()));
        refused(() -> FromWire.chunk(good.toBuilder().setOffset(Long.MAX_VALUE).build()));
        refused(() -> FromWire.chunk(good.toBuilder().setIndex(-1).build()));
        refused(() -> FromWire.chunk(good.toBuilder().setLeafSizeBytes(0).build()));
        refused(() -> FromWire.chunk(good.toBuilder().setLeafSizeBytes(2 << 20).build()));
        refused(() -> FromWire.chunk(good.toBuilder().addReplicaStoreIds("s1").build()));
        refused(() -> FromWire.chunk(good.toBuilder().clearReplicaStoreIds().build()));
    }

    /** Any bytes give a value or INVALID_ARGUMENT, never an unchecked exception. */
    @Test
    void damagedMessagesNeverThrowUnchecked() {
        Random random = new Random(7);
        byte[] good = ToWire.plannedChunk(
                        new PlannedChunk(chunk(7, 1000), Set.of(), List.of(new Entrant(new RacerId(0), 0)), Map.of()))
                .toByteArray();
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = good.clone();
            for (int flips = random.nextInt(4) + 1; flips > 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                FromWire.plannedChunk(io.cloudmw.proto.v1.PlannedChunk.parseFrom(damaged));
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                // refused before its conversion
            } catch (CloudMwException e) {
                assertThat(e.code()).as("round %d", round).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            }
        }
    }

    private static void refused(ThrowingCallable conversion) {
        assertThatThrownBy(conversion)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    private static IssuedBlock block(ByteRange range, int checksums) {
        Block block = new Block(
                new BlockId(3), 7, range, 3, List.of(new Entrant(new RacerId(0), 0)), BlockRule.RACE, Set.of(1, 2));
        return new IssuedBlock(block, new ChunkId(VERSION, 7), 1000, 400, new int[checksums], STORES, false);
    }

    private static Chunk chunk(long index, int length) {
        int leaves = Chunk.leafCount(length, 400);
        byte[] sha = new byte[leaves * 32];
        new Random(1).nextBytes(sha);
        int[] crc = new Random(2).ints(leaves).toArray();
        return new Chunk(
                index,
                new ChunkId(VERSION, index),
                new ByteRange(index * length, length),
                400,
                new LeafDigests(crc, sha),
                STORES);
    }

    private static FileVersion version() {
        return new FileVersion(FILE, VERSION, 123_456, 12, 2, 400, 1_700_000_000_000L, "ab".repeat(32));
    }

    private static io.cloudmw.proto.v1.Store encryptedWith(String mode) {
        Store bucket = new Store(new StoreId("s1"), "eu", new Store.S3("bucket", "eu-west-1", "", true, ""));
        io.cloudmw.proto.v1.Store message = ToWire.store(bucket);
        return message.toBuilder()
                .setS3(message.getS3().toBuilder()
                        .setEncryption(io.cloudmw.proto.v1.BucketEncryption.newBuilder()
                                .setMode(mode)))
                .build();
    }
}
