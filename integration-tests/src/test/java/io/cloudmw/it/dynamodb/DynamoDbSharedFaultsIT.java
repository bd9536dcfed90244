package io.cloudmw.it.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.dynamodb.DynamoDbCatalog;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.StorelessFleet;
import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.FixedLifeTokens;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.testing.Versions;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.it.dynamodb.FaultyNetwork.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * Tests of shared chunks in DynamoDB. Their operations take several requests, between which others change the chunks or
 * the process stops.
 */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbSharedFaultsIT {
    private final DynamoDbLocal dynamoDb;
    private final String table = DynamoDbLocal.newTable();
    private final FaultyNetwork network;
    private final DynamoDbCatalog catalog;
    private long clockMillis = 1_700_000_000_000L;

    DynamoDbSharedFaultsIT(DynamoDbLocal dynamoDb) throws Exception {
        this.dynamoDb = dynamoDb;
        this.network = new FaultyNetwork(dynamoDb.endpoint());
        this.catalog = DynamoDbLocal.open(table, network.endpoint());
    }

    @BeforeEach
    void makeAVolume() throws Exception {
        StoreId store = new StoreId("s1");
        catalog.putStore(new Store(store, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")));
        catalog.createVolume(
                new Volume(new VolumeName("v"), new Chunking.ByCount(3), 1, List.of(store), 1, Mode.ROUNDS, false, 42));
    }

    @AfterEach
    void close() {
        catalog.close();
        network.close();
    }

    /**
     * The collector reads the version that names the chunk. Before it reads that version's state, another coordinator
     * shares the chunk with a third version and forgets the second.
     */
    @Test
    void chunkSharedWithAnotherVersionDuringTheSearchIsFound() throws Exception {
        FileVersion base = commit(catalog, Optional.empty());
        ChunkId chunk = new ChunkId(base.id(), 0);
        FileVersion second = commit(catalog, Optional.of(base), run(base));
        AtomicInteger reads = new AtomicInteger();
        try (Catalog other = dynamoDb.open(table)) {
            network.set(operation -> {
                if (operation.equals("BatchGetItem") && reads.getAndIncrement() == 0) {
                    assertThatCode(() -> {
                                commit(other, Optional.of(second), run(base));
                                other.forget(lease(other), second.id());
                            })
                            .doesNotThrowAnyException();
                }
                return Fault.NONE;
            });
            assertThat(catalog.namedElsewhere(base.id(), List.of(chunk))).containsExactly(chunk);
        }
        assertThat(reads.get()).isGreaterThan(2);
    }

    /**
     * The collector reads the version that names the chunk. Before it reads that version's state, another coordinator
     * replaces it by a third version. The chunk is not garbage, although the version that was found is retired.
     */
    @Test
    void versionThatBecomesCurrentDuringTheSearchIsFound() throws Exception {
        FileVersion base = commit(catalog, Optional.empty());
        ChunkId chunk = new ChunkId(base.id(), 0);
        FileVersion second = commit(catalog, Optional.of(base), run(base));
        AtomicInteger reads = new AtomicInteger();
        List<FileVersion> third = new ArrayList<>();
        try (Catalog other = dynamoDb.open(table)) {
            network.set(operation -> {
                if (operation.equals("BatchGetItem") && reads.getAndIncrement() == 0) {
                    assertThatCode(() -> third.add(commit(other, Optional.of(second), run(base))))
                            .doesNotThrowAnyException();
                }
                return Fault.NONE;
            });
            assertThat(catalog.namer(chunk))
                    .contains(new ChunkReference(third.get(0).id(), OptionalInt.of(0), true));
        }
    }

    /**
     * The commit reads the part as current, then queries the segments, then reads the last position of the change log and
     * the directories again. The part is removed between the first two, and its directory stays: only the part's entry
     * tells the commit of the removal.
     */
    @Test
    void commitWhosePartIsRemovedMeanwhileIsAConflictThatCommitsNothing() throws Exception {
        FileVersion base = commit(catalog, Optional.empty());
        FileVersion part = commit(catalog, Optional.empty(), "v:/part");
        FileVersion whole = Versions.of("v:/f", 1);
        catalog.putSegment(whole.id(), 0, Versions.segment(whole.id(), 0), List.of(run(part)), 1);
        CommitRequest request = new CommitRequest(whole, Optional.of(base.id()), List.of())
                .with(List.of(new VersionPart(part.file(), part.id(), 0)));
        AtomicInteger queries = new AtomicInteger();
        try (Catalog other = dynamoDb.open(table)) {
            network.set(operation -> {
                if (operation.equals("Query") && queries.getAndIncrement() == 0) {
                    assertThatCode(() -> other.remove(part.file(), 2)).doesNotThrowAnyException();
                }
                return Fault.NONE;
            });
            CloudMwException refused = catchThrowableOfType(CloudMwException.class, () -> catalog.commit(request));
            assertThat(refused).extracting(CloudMwException::code).isEqualTo(ErrorCode.CONFLICT);
        }
        assertThat(catalog.current(part.file())).isEmpty();
        assertThat(catalog.current(base.file())).contains(base);
        assertThat(catalog.state(whole.id())).contains(VersionState.OPEN);
        assertThat(catalog.namedElsewhere(part.id(), List.of(new ChunkId(part.id(), 0))))
                .isEmpty();
    }

    /**
     * A coordinator of an earlier release records all references to one version in one item, at the smallest index. A
     * commit of this release puts the segment again, after which those far apart are found.
     */
    @Test
    void referencesThatAnEarlierReleaseRecordedTogetherAreFoundOnceTheSegmentIsPutAgain() throws Exception {
        FileVersion base = commit(catalog, Optional.empty());
        FileVersion second = Versions.of("v:/f", 1);
        byte[] segment = Versions.segment(second.id(), 0);
        List<ChunkId> chunks =
                List.of(new ChunkId(base.id(), 7), new ChunkId(base.id(), 5000), new ChunkId(base.id(), 5001));
        List<SharedRun> runs = SharedRun.of(chunks);
        String digest = HexFormat.of().formatHex(ManifestDigest.ofSegment(segment));
        String text = base.id() + ":7:8," + base.id() + ":5000:5002";
        catalog.putSegment(second.id(), 0, segment, 1);
        try (DynamoDbClient client = DynamoDbLocal.client(dynamoDb.endpoint())) {
            for (ItemKey key : List.of(
                    KeyLayout.names(second.id(), 0, digest), KeyLayout.named(base.id(), 7, second.id(), 0, digest))) {
                client.putItem(put -> put.tableName(table)
                        .item(Item.at(key).with(Item.RUNS, text).attributes()));
            }
        }
        catalog.putSegment(second.id(), 0, segment, runs, 1);
        catalog.commit(new CommitRequest(second, Optional.of(base.id()), List.of()));
        for (ChunkId chunk : chunks) {
            assertThat(catalog.namer(chunk)).contains(new ChunkReference(second.id(), OptionalInt.of(0), true));
        }
        assertThat(catalog.namedElsewhere(base.id(), chunks)).hasSize(3);
        catalog.forget(lease(catalog), base.id());
        catalog.remove(second.file(), 2);
        catalog.forget(lease(catalog), second.id());
        assertThat(catalog.state(base.id())).as("no reference is left").isEmpty();
    }

    /** Every report about a shared chunk makes these requests. */
    @Test
    void sharedChunkIsFoundWithThreeRequestsWhateverTheNumberOfSegments() throws Exception {
        FileVersion base = commit(catalog, Optional.empty());
        FileVersion version = Versions.of("v:/f", 20);
        for (int segment = 0; segment < 20; segment++) {
            catalog.putSegment(
                    version.id(),
                    segment,
                    Versions.segment(version.id(), segment),
                    List.of(new SharedRun(base.id(), segment, segment + 1)),
                    1);
        }
        catalog.commit(new CommitRequest(version, Optional.of(base.id()), List.of()));
        int before = network.requests();
        ChunkId chunk = new ChunkId(base.id(), 7);
        assertThat(catalog.namedBy(version.id(), List.of(chunk))).containsExactly(chunk);
        assertThat(network.requests() - before).isEqualTo(3);
    }

    @Test
    void interruptedForgettingIsCompletedByTheNextAndLosesNoNamedChunk() throws Exception {
        for (int requests = 1; ; requests += 3) {
            FileVersion base = commit(catalog, Optional.empty(), "v:/f" + requests);
            FileVersion second = commit(catalog, Optional.of(base), run(base));
            FileVersion third = commit(catalog, Optional.of(second), run(base), run(second));
            catalog.forget(lease(catalog), base.id());
            catalog.remove(third.file(), 2);
            boolean stopped = forgetsSoFar(third.id(), requests);
            ChunkId chunk = new ChunkId(base.id(), 0);
            assertThat(catalog.namedElsewhere(third.id(), List.of(chunk))).containsExactly(chunk);
            assertThat(catalog.state(base.id())).isPresent();
            catalog.forget(lease(catalog), third.id());
            assertThat(catalog.state(third.id())).isEmpty();
            stopped |= forgetsSoFar(second.id(), requests);
            // The rest of the work is on the list of retired versions.
            catalog.forget(lease(catalog), second.id());
            for (RetiredVersion left : catalog.retired("", 10).items()) {
                catalog.forget(lease(catalog), left.id());
            }
            for (FileVersion version : List.of(base, second, third)) {
                assertThat(catalog.state(version.id()))
                        .as("after %d requests", requests)
                        .isEmpty();
            }
            assertThat(catalog.retired("", 10).items()).isEmpty();
            if (!stopped) {
                assertThat(requests).isGreaterThan(5);
                return;
            }
        }
    }

    /** The next collection round continues from wherever forgetting stopped. */
    @Test
    void interruptedForgettingIsCompletedByTheCollector() throws Exception {
        for (int requests = 1; ; requests += 3) {
            FileVersion removed = commit(catalog, Optional.empty(), "v:/r" + requests);
            catalog.remove(removed.file(), 2);
            FileVersion given = Versions.of("v:/g" + requests, 1);
            catalog.putSegment(given.id(), 0, Versions.segment(given.id(), 0), 1);
            assertThat(catalog.retireAbandoned(lease(catalog), 2, 2)).isOne();
            boolean stopped = forgetsSoFar(removed.id(), requests);
            stopped |= forgetsSoFar(given.id(), requests);
            collect();
            assertThat(catalog.retired("", 10).items())
                    .as("after %d requests", requests)
                    .isEmpty();
            assertThat(catalog.state(removed.id())).isEmpty();
            assertThat(catalog.state(given.id()))
                    .as("that it never will be committed")
                    .isPresent();
            assertThat(catalog.segment(given.id(), 0)).isEmpty();
            catalog.touch(given.id(), 3);
            assertThat(catalog.resume(given.id(), 3)).isFalse();
            if (!stopped) {
                assertThat(requests).isGreaterThan(5);
                return;
            }
        }
    }

    /** Without the mark the copy would never be old enough to delete, and the version could never be forgotten. */
    @Test
    void replicasOfAHalfForgottenVersionAreMarked() throws Exception {
        for (int requests = 1; ; requests++) {
            FileVersion removed = commit(catalog, Optional.empty(), "v:/r" + requests);
            catalog.remove(removed.file(), 2);
            boolean stopped = forgetsSoFar(removed.id(), requests);
            boolean known = catalog.state(removed.id()).isPresent();
            ReplicaRecord mark =
                    new ReplicaRecord(new ChunkId(removed.id(), 0), new StoreId("s1"), ReplicaState.DROPPED, 5);
            catalog.settle(lease(catalog), List.of(mark));
            assertThat(catalog.records(removed.id(), 0, 1))
                    .as("after %d requests", requests)
                    .isEqualTo(known ? List.of(mark) : List.of());
            catalog.forget(lease(catalog), removed.id());
            assertThat(catalog.records(removed.id(), 0, 1)).isEmpty();
            assertThat(catalog.state(removed.id())).isEmpty();
            if (!stopped) {
                assertThat(requests).isGreaterThan(5);
                return;
            }
        }
    }

    /** Runs a collection round of a coordinator without stores and helpers. */
    private void collect() throws CloudMwException {
        Upkeep upkeep = new Upkeep(
                "c",
                catalog,
                new StorelessFleet(false),
                new FixedLifeTokens(
                        new TransferTokens(ClusterSecret.of(new byte[32]), WallClock.system()),
                        Duration.ofHours(6),
                        () -> clockMillis),
                UpkeepOptions.defaults(),
                Ticker.system(),
                () -> clockMillis);
        clockMillis += Duration.ofDays(1).toMillis();
        upkeep.tick();
        long round = upkeep.collect(UUID.randomUUID(), false);
        while (upkeep.status().collect().rounds() < round) {
            upkeep.tick();
        }
    }

    /** Forgets a version while only some requests are answered; returns whether the call failed. */
    private boolean forgetsSoFar(VersionId version, int requests) throws CloudMwException {
        Lease lease = lease(catalog);
        AtomicInteger answered = new AtomicInteger();
        network.set(operation -> answered.incrementAndGet() > requests ? Fault.BROKEN : Fault.NONE);
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> catalog.forget(lease, version));
        network.set(operation -> Fault.NONE);
        return failure != null;
    }

    private static SharedRun run(FileVersion owner) {
        return new SharedRun(owner.id(), 0, 1);
    }

    private static FileVersion commit(Catalog into, Optional<FileVersion> base, SharedRun... runs)
            throws CloudMwException {
        return commit(into, base, base.map(version -> version.file().toString()).orElse("v:/f"), runs);
    }

    private static FileVersion commit(Catalog into, Optional<FileVersion> base, String path, SharedRun... runs)
            throws CloudMwException {
        FileVersion version = Versions.of(path, 1);
        into.putSegment(version.id(), 0, Versions.segment(version.id(), 0), List.of(runs), 1);
        return into.commit(new CommitRequest(version, base.map(FileVersion::id), List.of()));
    }

    private static Lease lease(Catalog of) throws CloudMwException {
        return of.leases().acquire("test", "test", Duration.ofSeconds(1), 0).orElseThrow();
    }
}
