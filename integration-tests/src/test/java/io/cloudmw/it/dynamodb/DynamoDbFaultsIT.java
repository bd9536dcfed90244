package io.cloudmw.it.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangePage;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.dynamodb.DynamoDbCatalog;
import io.cloudmw.coordinator.catalog.dynamodb.table.DynamoDbSettings;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.testing.Versions;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.it.dynamodb.FaultyNetwork.Fault;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of the catalog in DynamoDB when answers are lost, when DynamoDB throttles, and at its limits. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbFaultsIT {
    private static final VolumeName VOLUME = new VolumeName("v");
    private static final StoreId STORE = new StoreId("s1");
    private static final int FEW = 10;
    private static final int MANY = 1_000;

    private final DynamoDbLocal dynamoDb;
    private final String table = DynamoDbLocal.newTable();
    private final FaultyNetwork network;
    private final DynamoDbCatalog catalog;

    DynamoDbFaultsIT(DynamoDbLocal dynamoDb) throws Exception {
        this.dynamoDb = dynamoDb;
        this.network = new FaultyNetwork(dynamoDb.endpoint());
        this.catalog = DynamoDbLocal.open(table, network.endpoint());
    }

    @BeforeEach
    void makeAVolume() throws Exception {
        catalog.putStore(new Store(STORE, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")));
        catalog.createVolume(new Volume(VOLUME, new Chunking.ByCount(3), 1, List.of(STORE), 1, Mode.ROUNDS, false, 42));
    }

    @AfterEach
    void close() {
        catalog.close();
        network.close();
    }

    /** Loses the answer of the next request of this kind, which takes effect nonetheless. */
    private void loseOneAnswer(String operation) {
        AtomicInteger seen = new AtomicInteger();
        network.set(name -> name.equals(operation) && seen.getAndIncrement() == 0 ? Fault.ANSWER_LOST : Fault.NONE);
    }

    @Test
    void writeWhoseAnswerWasLostIsRecognised() throws Exception {
        FileVersion a = put("v:/a/b", Optional.empty());
        loseOneAnswer("TransactWriteItems");
        FileVersion second = put("v:/a/b", Optional.of(a.id()));
        loseOneAnswer("TransactWriteItems");
        assertThat(catalog.rename(rename("v:/a/b", "v:/c/d"), 1).version()).isPresent();
        loseOneAnswer("TransactWriteItems");
        assertThat(catalog.remove(FilePath.parse("v:/c/d"), 2).id()).isEqualTo(second.id());
        assertThat(names("/")).isEmpty();
        assertThat(retired()).containsExactlyInAnyOrder(a.id(), second.id());
        loseOneAnswer("TransactWriteItems");
        refused(ErrorCode.NOT_FOUND, () -> catalog.remove(FilePath.parse("v:/c/d"), 3));
    }

    @Test
    void lostAnswerToAnAllocatedNumberDoesNoHarm() throws Exception {
        try (Catalog other = DynamoDbLocal.open(table, network.endpoint())) {
            loseOneAnswer("UpdateItem");
            FileVersion version = Versions.of("v:/d/e", 0);
            other.commit(new CommitRequest(version, Optional.empty(), List.of()));
            assertThat(catalog.current(version.file())).contains(version);
        }
    }

    @Test
    void throttledRequestIsRetriedAndThenReportedAsOverload() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        network.set(name ->
                name.equals("TransactWriteItems") && writes.incrementAndGet() <= 2 ? Fault.THROTTLED : Fault.NONE);
        FileVersion version = put("v:/a", Optional.empty());
        assertThat(writes.get()).isGreaterThan(2);
        network.set(name -> Fault.THROTTLED);
        refused(ErrorCode.OVERLOADED, () -> catalog.current(version.file()));
        refused(ErrorCode.OVERLOADED, () -> catalog.remove(version.file(), 1));
        network.set(name -> Fault.NONE);
        assertThat(catalog.current(version.file())).contains(version);
    }

    @Test
    void unreachableOrBrokenEngineIsReportedAsUnavailable() throws Exception {
        network.set(name -> Fault.BROKEN);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> catalog.volumes());
        network.set(name -> Fault.ANSWER_LOST);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> catalog.volumes());
        network.set(name -> Fault.NONE);
        assertThat(catalog.volumes()).hasSize(1);
        refused(
                ErrorCode.COORDINATOR_UNAVAILABLE,
                () -> DynamoDbLocal.open(table, URI.create("http://127.0.0.1:1"))
                        .close());
    }

    @Test
    void missingTableIsRefusedAndAnExistingOneOpenedWithoutCreation() throws Exception {
        DynamoDbSettings none = new DynamoDbSettings(
                DynamoDbLocal.newTable(), Optional.of("eu-west-1"), Optional.of(dynamoDb.endpoint()), false);
        refused(ErrorCode.NOT_FOUND, () -> DynamoDbCatalog.open(none, "test", "test"));
        DynamoDbSettings there =
                new DynamoDbSettings(table, Optional.of("eu-west-1"), Optional.of(dynamoDb.endpoint()), false);
        try (Catalog same = DynamoDbCatalog.open(there, "test", "test")) {
            assertThat(same.volume(VOLUME)).isPresent();
        }
    }

    /** While one catalog removes a directory's file, another removes the only other file. */
    @Test
    void directoryVanishesWhenItsLastTwoFilesAreRemovedAtOnce() throws Exception {
        put("v:/a/b/c", Optional.empty());
        put("v:/a/b/d", Optional.empty());
        AtomicInteger writes = new AtomicInteger();
        try (Catalog other = dynamoDb.open(table)) {
            network.set(name -> {
                if (name.equals("TransactWriteItems") && writes.getAndIncrement() == 0) {
                    assertThatCode(() -> other.remove(FilePath.parse("v:/a/b/d"), 1))
                            .doesNotThrowAnyException();
                }
                return Fault.NONE;
            });
            catalog.remove(FilePath.parse("v:/a/b/c"), 1);
        }
        assertThat(names("/")).isEmpty();
    }

    /** A reader sees a put's transaction in part: its position in the log, but not yet its entry. */
    @Test
    void directoryStaysWhenAPutIntoItIsVisibleInPart() throws Exception {
        put("v:/d/first", Optional.empty());
        try (Catalog other = dynamoDb.open(table)) {
            other.commit(new CommitRequest(Versions.of("v:/d/second", 0), Optional.empty(), List.of()));
            network.hideFromAll("\"second\"");
            refused(ErrorCode.OVERLOADED, () -> catalog.remove(FilePath.parse("v:/d/first"), 1));
            refused(ErrorCode.OVERLOADED, () -> put("v:/e", Optional.empty()));
        }
        network.hide("");
        catalog.remove(FilePath.parse("v:/d/first"), 1);
        assertThat(names("/d")).containsExactly("second");
        put("v:/e", Optional.empty());
    }

    @Test
    void directoryStaysWhenAFileIsPutAfterItsCheck() throws Exception {
        put("v:/d/first", Optional.empty());
        AtomicInteger writes = new AtomicInteger();
        try (Catalog other = dynamoDb.open(table)) {
            network.set(name -> {
                if (name.equals("TransactWriteItems") && writes.getAndIncrement() == 0) {
                    assertThatCode(() -> other.commit(
                                    new CommitRequest(Versions.of("v:/d/second", 0), Optional.empty(), List.of())))
                            .doesNotThrowAnyException();
                }
                return Fault.NONE;
            });
            catalog.remove(FilePath.parse("v:/d/first"), 1);
        }
        assertThat(writes.get()).isEqualTo(2);
        assertThat(names("/d")).containsExactly("second");
    }

    /** A call of another coordinator. */
    @FunctionalInterface
    private interface Step {
        void run(Catalog catalog) throws Exception;
    }

    /** Pauses the first try of a call before its write, runs a step of another coordinator, then resumes the try. */
    private void whileTheFirstTryIsPaused(Step meanwhile, ThrowingCallable firstTry) throws Exception {
        AtomicInteger writes = new AtomicInteger();
        try (Catalog other = dynamoDb.open(table)) {
            network.set(name -> {
                if (name.equals("TransactWriteItems") && writes.getAndIncrement() == 0) {
                    assertThatCode(() -> meanwhile.run(other)).doesNotThrowAnyException();
                }
                return Fault.NONE;
            });
            assertThatCode(firstTry).doesNotThrowAnyException();
            assertThat(writes.get()).isPositive();
            network.set(name -> Fault.NONE);
        }
    }

    private static ChangeRequest call() {
        WallClock clock = WallClock.system();
        return ChangeRequest.of(Optional.of(CallId.issuedAt(clock.millis())), clock);
    }

    private static FileVersion put(Catalog through, FilePath file) throws CloudMwException {
        FileVersion version = Versions.of(file.toString(), 0);
        return through.commit(new CommitRequest(version, through.current(file).map(FileVersion::id), List.of()));
    }

    @Test
    void lateFirstTryUndoesNoLaterPut() throws Exception {
        FilePath file = FilePath.parse("v:/a/b");
        FileVersion first = put(catalog, file);
        catalog.snapshots().create(VOLUME, "s", 1);
        ChangeRequest removal = call();
        whileTheFirstTryIsPaused(
                other -> {
                    assertThat(other.remove(file, removal)).isEqualTo(first);
                    put(other, file);
                },
                () -> assertThat(catalog.remove(file, removal)).isEqualTo(first));
        FileVersion second = catalog.current(file).orElseThrow();
        assertThat(second).isNotEqualTo(first);
        ChangeRequest restoring = call();
        whileTheFirstTryIsPaused(
                other -> {
                    assertThat(other.snapshots().restore("s", file, restoring)).isEqualTo(first);
                    put(other, file);
                },
                () -> assertThat(catalog.snapshots().restore("s", file, restoring))
                        .isEqualTo(first));
        assertThat(catalog.current(file).orElseThrow()).isNotIn(first, second);
    }

    @Test
    void lateFirstTryIsRefusedWhenTheSecondWasRefused() throws Exception {
        FilePath file = FilePath.parse("v:/a/b");
        put(catalog, file);
        ChangeRequest removal = call();
        whileTheFirstTryIsPaused(
                other -> {
                    other.remove(file, call());
                    refused(ErrorCode.NOT_FOUND, () -> other.remove(file, removal));
                    put(other, file);
                },
                () -> refused(ErrorCode.NOT_FOUND, () -> catalog.remove(file, removal)));
        FileVersion there = catalog.current(file).orElseThrow();
        FileVersion late = Versions.of(file.toString(), 0);
        CommitRequest commit = new CommitRequest(late, Optional.of(there.id()), List.of());
        whileTheFirstTryIsPaused(
                other -> {
                    other.rename(rename("v:/a/b", "v:/c"), call());
                    refused(ErrorCode.CONFLICT, () -> other.commit(commit));
                    assertThat(other.giveUp(late.id(), 1)).isEmpty();
                    other.rename(rename("v:/c", "v:/a/b"), call());
                },
                () -> refused(ErrorCode.CONFLICT, () -> catalog.commit(commit)));
        assertThat(catalog.current(file)).contains(there);
    }

    @Test
    void refusedTryAnswersWithTheResultOfTheTryThatTookEffect() throws Exception {
        FilePath file = FilePath.parse("v:/a/b");
        ChangeRequest removal = call();
        // The paused write is the record of a refusal, since no file was there.
        whileTheFirstTryIsPaused(
                other -> {
                    put(other, file);
                    other.remove(file, removal);
                },
                () -> assertThat(catalog.remove(file, removal).file()).isEqualTo(file));
    }

    @Test
    void lateFirstTryResetsNeitherAttributesNorNames() throws Exception {
        FilePath file = FilePath.parse("v:/a/b");
        put(catalog, file);
        AttributeChange early = new AttributeChange(file, Map.of("k", "early"), Set.of());
        ChangeRequest noting = call();
        whileTheFirstTryIsPaused(
                other -> {
                    other.setAttributes(early, noting);
                    other.setAttributes(new AttributeChange(file, Map.of("k", "late"), Set.of()), call());
                },
                () -> catalog.setAttributes(early, noting));
        assertThat(catalog.file(file).orElseThrow().attributes().values()).isEqualTo(Map.of("k", "late"));
        Rename rename = rename("v:/a/b", "v:/c");
        ChangeRequest renaming = call();
        whileTheFirstTryIsPaused(
                other -> {
                    other.rename(rename, renaming);
                    other.remove(rename.to(), call());
                    put(other, file);
                },
                () -> catalog.rename(rename, renaming));
        assertThat(catalog.current(file)).isPresent();
        assertThat(catalog.current(rename.to())).isEmpty();
    }

    @Test
    void recreatedVolumeIsNotDeletedByALateFirstTry() throws Exception {
        Volume volume = catalog.volume(VOLUME).orElseThrow();
        ChangeRequest deletion = call();
        whileTheFirstTryIsPaused(
                other -> {
                    other.deleteVolume(VOLUME, true, deletion);
                    other.createVolume(volume);
                    put(other, FilePath.parse("v:/a"));
                },
                () -> catalog.deleteVolume(VOLUME, true, deletion));
        assertThat(catalog.current(FilePath.parse("v:/a"))).isPresent();
    }

    @Test
    void commitWithManyOwedCopiesRecordsThemAll() throws Exception {
        FileVersion version = Versions.of("v:/a", 1);
        catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), 1);
        List<ReplicaReport> owed = new ArrayList<>();
        for (int chunk = 0; chunk < 300; chunk++) {
            owed.add(new ReplicaReport(new ChunkId(version.id(), chunk), STORE, ReplicaState.OWED));
        }
        catalog.report(List.of(new ReplicaReport(new ChunkId(version.id(), 7), STORE, ReplicaState.GOOD)), 1);
        catalog.commit(new CommitRequest(version, Optional.empty(), owed));
        assertThat(catalog.underReplicatedChunks(version.id())).isEqualTo(299);
        assertThat(catalog.underReplicated(VOLUME, "", 1000).items()).hasSize(299);
        List<ReplicaReport> good = owed.stream()
                .map(one -> new ReplicaReport(one.chunk(), one.store(), ReplicaState.GOOD))
                .toList();
        catalog.report(good, 2);
        assertThat(catalog.faults(version.id(), 0, 300)).isEmpty();
        assertThat(catalog.underReplicated(VOLUME, "", 1000).items()).isEmpty();
    }

    @Test
    void segmentsLargerThanAnItemAreKeptInParts() throws Exception {
        VersionId version = VersionId.random();
        for (int bytes : new int[] {0, 350 << 10, (350 << 10) + 1, 1_500_000, 10}) {
            byte[] segment = new byte[bytes];
            java.util.Arrays.fill(segment, (byte) bytes);
            catalog.putSegment(version, 3, segment, 1);
            assertThat(catalog.segment(version, 3)).hasValue(segment);
        }
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.putSegment(version, 4, new byte[4_000_000], 1));
        catalog.retireAbandoned(lease(), 100, 200);
        assertThat(catalog.retired("", 10).items()).containsExactly(new RetiredVersion(version, 200, 1));
        catalog.forget(lease(), version);
        assertThat(catalog.segment(version, 3)).isEmpty();
    }

    @Test
    void uploadsAreAbandonedOnlyWhileTheLeaseIsHeld() throws Exception {
        for (int i = 0; i < 5; i++) {
            catalog.touch(VersionId.random(), 1);
        }
        AtomicInteger asked = new AtomicInteger();
        Lease lease = lease();
        refused(
                ErrorCode.LEASE_LOST,
                () -> catalog.retireAbandoned(
                        () -> {
                            if (!catalog.retired("", 10).items().isEmpty()) {
                                throw new CloudMwException(ErrorCode.LEASE_LOST, "another coordinator came");
                            }
                            return lease;
                        },
                        5,
                        6));
        assertThat(catalog.retired("", 10).items()).hasSize(1);
        assertThat(catalog.retireAbandoned(
                        () -> {
                            asked.incrementAndGet();
                            return lease;
                        },
                        5,
                        6))
                .isEqualTo(4);
        assertThat(asked.get()).as("for each, and for each page").isGreaterThan(4);
    }

    /**
     * A rename is refused when a path below would exceed the length limit. When many directories vanish at once, their
     * removal takes several transactions.
     */
    @Test
    void pathsMayLieInMoreDirectoriesThanATransactionHasItems() throws Exception {
        String first = "/a".repeat(60);
        String second = "/b".repeat(60);
        put("v:" + first + "/x", Optional.empty());
        put("v:" + second + "/y", Optional.empty());
        catalog.rename(rename("v:/b", "v:" + first + "/b"), 1);
        String deep = "v:" + first + second;
        put(deep + "/" + "z".repeat(100), Optional.empty());
        catalog.remove(FilePath.parse("v:" + first + "/x"), 1);
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.rename(rename("v:/a", "v:/" + "c".repeat(800)), 1));
        catalog.remove(FilePath.parse(deep + "/y"), 1);
        assertThat(names("/")).containsExactly("a");
        catalog.remove(FilePath.parse(deep + "/" + "z".repeat(100)), 1);
        assertThat(names("/")).isEmpty();
    }

    /** The transaction also has the records that a snapshot needs of the vanishing directories. */
    @Test
    void renameThatRemovesManyDirectoriesOfASnapshotFitsATransaction() throws Exception {
        String from = "v:" + "/a".repeat(42);
        String to = "v:" + "/b".repeat(40);
        FileVersion moved = put(from + "/x", Optional.empty());
        put(to + "/y", Optional.empty());
        catalog.snapshots().create(VOLUME, "s", 1);
        String name = to + "/" + "z".repeat(100);
        catalog.rename(rename(from + "/x", name), 2);
        assertThat(names("/")).containsExactly("b");
        assertThat(catalog.current(FilePath.parse(name)).map(FileVersion::id)).contains(moved.id());
        assertThat(catalog.snapshots().file("s", FilePath.parse(from + "/x"))).isPresent();
    }

    @Test
    void aVolumeWithManyFilesIsDeletedStepByStep() throws Exception {
        for (int i = 0; i < 60; i++) {
            put("v:/d" + i % 7 + "/e/f" + i, Optional.empty());
        }
        // The deletion stops midway, as in a killed process.
        AtomicInteger writes = new AtomicInteger();
        network.set(name ->
                name.equals("TransactWriteItems") && writes.incrementAndGet() > 5 ? Fault.THROTTLED : Fault.NONE);
        refused(ErrorCode.OVERLOADED, () -> catalog.deleteVolume(VOLUME, true, 9));
        network.set(name -> Fault.NONE);
        assertThat(catalog.volumes()).isEmpty();
        catalog.retireAbandoned(lease(), 0, 10);
        assertThat(retired()).hasSize(60);
        assertThat(catalog.retired("", 100).items()).allMatch(version -> version.retiredAtMillis() == 9);
    }

    @Test
    void attributesAndSegmentsSurviveARepeatedAnswer() throws Exception {
        put("v:/a", Optional.empty());
        loseOneAnswer("TransactWriteItems");
        catalog.setAttributes(new AttributeChange(FilePath.parse("v:/a"), Map.of("x", "1"), Set.of()), 1);
        assertThat(catalog.file(FilePath.parse("v:/a"))
                        .orElseThrow()
                        .attributes()
                        .values())
                .containsEntry("x", "1");
        VersionId open = VersionId.random();
        loseOneAnswer("TransactWriteItems");
        catalog.putSegment(open, 0, new byte[] {1}, 5);
        catalog.retireAbandoned(lease(), 6, 7);
        assertThat(catalog.retired("", 10).items()).containsExactly(new RetiredVersion(open, 7, 1));
    }

    /** A query during a transaction may see only part of it, such as the place in the list. */
    @Test
    void pendingReplicaSurvivesAPartialViewOfItsTransaction() throws Exception {
        FileVersion version = put("v:/a", Optional.empty());
        catalog.report(List.of(report(version, 0, ReplicaState.CORRUPT)), 1);
        network.hide("\"v/" + version.id() + "\"");
        assertThat(catalog.pending("", 10).items()).isEmpty();
        network.hide("");
        assertThat(pending()).containsExactly(report(version, 0, ReplicaState.CORRUPT));

        catalog.report(List.of(report(version, 1, ReplicaState.CORRUPT)), 2);
        network.hide("\"v/" + version.id() + "\"");
        catalog.report(List.of(report(version, 1, ReplicaState.GOOD)), 3);
        network.hide("");
        assertThat(pending()).contains(report(version, 0, ReplicaState.CORRUPT));
    }

    private static ReplicaReport report(FileVersion version, long chunk, ReplicaState state) {
        return new ReplicaReport(new ChunkId(version.id(), chunk), STORE, state);
    }

    private List<ReplicaReport> pending() throws CloudMwException {
        return catalog.pending("", 10).items().stream()
                .map(ReplicaRecord::report)
                .toList();
    }

    /** A read transaction would be cancelled by any put into the same directory, so look-ups do not use any. */
    @Test
    void lookUpsUseNoTransaction() throws Exception {
        FileVersion version = put("v:/a/b/c", Optional.empty());
        network.set(operation -> operation.startsWith("Transact") ? Fault.BROKEN : Fault.NONE);
        assertThat(catalog.current(version.file())).contains(version);
        assertThat(catalog.current(FilePath.parse("v:/a/b/none"))).isEmpty();
        network.set(operation -> Fault.NONE);
    }

    /** A reader may see a transaction's position but not yet its changes, and must not take them for pruned. */
    @Test
    void partlyVisibleChangesAreAwaited() throws Exception {
        put("v:/a", Optional.empty());
        AtomicInteger looks = new AtomicInteger();
        network.set(operation -> {
            if (operation.equals("TransactGetItems")) {
                network.hide(looks.incrementAndGet() > 1 ? "" : "\"c/v\"");
            }
            return Fault.NONE;
        });
        network.hide("\"c/v\"");
        assertThat(catalog.changes().after(VOLUME, 0, 10).items()).hasSize(1);
        assertThat(looks.get()).isEqualTo(2);
        network.set(operation -> Fault.NONE);
        network.hide("");
        put("v:/b", Optional.empty());
        assertThat(catalog.changes().prune(Long.MAX_VALUE, 0)).isPositive();
        assertThat(catalog.changes().after(VOLUME, 0, 10).known()).as("gone").isFalse();
    }

    /** The second of four changes is not visible yet, so the later ones wait. */
    @Test
    void changesWaitForAnEarlierOneThatIsNotVisibleYet() throws Exception {
        for (String path : List.of("v:/a", "v:/b", "v:/c", "v:/d")) {
            put(path, Optional.empty());
        }
        network.hide("\"0000000000000000002\"");
        ChangePage seen = catalog.changes().after(VOLUME, 0, 10);
        assertThat(seen.items()).extracting(Change::position).containsExactly(1L);
        network.hide("");
        assertThat(catalog.changes().after(VOLUME, 1, 10).items())
                .extracting(Change::position)
                .containsExactly(2L, 3L, 4L);
    }

    /** The numbers of docs/adr/0010, for paths of two directories. */
    @Test
    void callsTakeTheRoundTripsThatAreDocumented() throws Exception {
        put("v:/a/b/first", Optional.empty());
        put("v:/a/b/second", Optional.empty());
        FilePath file = FilePath.parse("v:/a/b/first");
        assertThat(requestsOf(() -> catalog.file(file))).isEqualTo(5);
        assertThat(requestsOf(() -> catalog.list(VOLUME, "/a/b", "", 100))).isEqualTo(4);
        assertThat(requestsOf(() -> put("v:/a/b/third", Optional.empty()))).isEqualTo(7);
        assertThat(requestsOf(() -> catalog.putSegment(VersionId.random(), 0, new byte[] {1}, 1)))
                .isEqualTo(2);
        assertThat(requestsOf(() -> catalog.rename(rename("v:/a/b/first", "v:/a/b/fourth"), 1)))
                .isEqualTo(7);
        assertThat(requestsOf(() -> catalog.remove(FilePath.parse("v:/a/b/fourth"), 1)))
                .isEqualTo(9);
        assertThat(requestsOf(() -> catalog.remove(FilePath.parse("v:/a/b/third"), call())))
                .as("one more for a call that may be tried again")
                .isEqualTo(10);
        assertThat(requestsOf(() -> catalog.snapshots().create(VOLUME, "s", 1))).isEqualTo(4);
    }

    /** Collection makes these requests for each file that is removed or replaced. */
    @Test
    void aVersionThatSharesNothingIsForgottenInSixRequestsAndItsCopiesAreMarkedInTwo() throws Exception {
        FileVersion version = Versions.of("v:/a", 1);
        catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), 1);
        catalog.commit(new CommitRequest(version, Optional.empty(), List.of()));
        catalog.remove(version.file(), 1);
        Lease lease = lease();
        ReplicaRecord mark = new ReplicaRecord(new ChunkId(version.id(), 0), STORE, ReplicaState.DROPPED, 1);
        assertThat(requestsOf(() -> catalog.settle(lease, List.of(mark)))).isEqualTo(2);
        assertThat(requestsOf(() -> catalog.forget(lease, version.id()))).isEqualTo(6);
        assertThat(catalog.state(version.id())).isEmpty();
        assertThat(catalog.segment(version.id(), 0)).isEmpty();
        assertThat(catalog.records(version.id(), 0, 1)).isEmpty();
        assertThat(catalog.retired("", 1).items()).isEmpty();
    }

    /** An implementation that visited all names would make requests for each directory. */
    @Test
    void snapshotOfManyNamesTakesAsManyRequestsAsOneOfAFew() throws Exception {
        try (Catalog other = dynamoDb.open(table)) {
            putMany(other, 0, FEW);
            int few = requestsOf(() -> catalog.snapshots().create(VOLUME, "few", 1));
            putMany(other, FEW, MANY);
            assertThat(requestsOf(() -> catalog.snapshots().create(VOLUME, "many", 1)))
                    .isEqualTo(few);
        }
    }

    private static void putMany(Catalog into, int first, int end) throws CloudMwException {
        for (int i = first; i < end; i++) {
            into.commit(new CommitRequest(Versions.of("v:/d" + i + "/f", 0), Optional.empty(), List.of()));
        }
    }

    private int requestsOf(ThrowingCallable call) {
        int before = network.requests();
        assertThatCode(call).doesNotThrowAnyException();
        return network.requests() - before;
    }

    private FileVersion put(String path, Optional<VersionId> expected) throws CloudMwException {
        FileVersion version = Versions.of(path, 0);
        return catalog.commit(new CommitRequest(version, expected, List.of()));
    }

    private Lease lease() throws CloudMwException {
        return catalog.leases()
                .acquire("test", "test", Duration.ofSeconds(1), 1)
                .orElseThrow();
    }

    private static Rename rename(String from, String to) {
        return new Rename(FilePath.parse(from), FilePath.parse(to), false);
    }

    private List<String> names(String directory) throws CloudMwException {
        return catalog.list(VOLUME, directory, "", 100).items().stream()
                .map(DirectoryEntry::name)
                .toList();
    }

    private List<VersionId> retired() throws CloudMwException {
        return catalog.retired("", 100).items().stream().map(RetiredVersion::id).toList();
    }

    private static void refused(ErrorCode code, ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure).as("refusal").isNotNull();
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    }
}
