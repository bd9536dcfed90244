package io.cloudmw.it.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.dynamodb.DynamoDbCatalog;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.PackSamples;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.it.dynamodb.FaultyNetwork.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests of packs in DynamoDB. A commit of many files takes several transactions, between which others change the files or
 * requests fail.
 */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbPackFaultsIT {
    private static final StoreId STORE = new StoreId("s1");
    private static final Volume VOLUME =
            new Volume(new VolumeName("v"), new Chunking.ByCount(3), 1, List.of(STORE), 1, Mode.ROUNDS, false, 42);
    private static final long LATER_MILLIS = 3_600_000;
    private static final List<Fault> FAULTS = List.of(Fault.ANSWER_LOST, Fault.THROTTLED, Fault.BROKEN);

    private final DynamoDbLocal dynamoDb;
    private final String table = DynamoDbLocal.newTable();
    private final FaultyNetwork network;
    private final DynamoDbCatalog catalog;

    DynamoDbPackFaultsIT(DynamoDbLocal dynamoDb) throws Exception {
        this.dynamoDb = dynamoDb;
        this.network = new FaultyNetwork(dynamoDb.endpoint());
        this.catalog = DynamoDbLocal.open(table, network.endpoint());
    }

    @BeforeEach
    void makeAVolume() throws Exception {
        catalog.putStore(new Store(STORE, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")));
        catalog.createVolume(VOLUME);
    }

    @AfterEach
    void close() {
        catalog.close();
        network.close();
    }

    private static BatchCommit batch(String prefix, int files) {
        String[] paths = IntStream.range(0, files).mapToObj(i -> prefix + i).toArray(String[]::new);
        return PackSamples.batch(VOLUME, List.of(STORE), paths);
    }

    private static VersionId pack(BatchCommit batch) {
        return batch.pack().orElseThrow().version().id();
    }

    private static BatchCommit some(BatchCommit batch, int from, int end) {
        return new BatchCommit(batch.pack(), batch.files().subList(from, end));
    }

    private static Lease lease(Catalog catalog) throws CloudMwException {
        return catalog.leases()
                .acquire("collection", "test", Duration.ofSeconds(1), 0)
                .orElseThrow();
    }

    private static List<CommitOutcome> committed(BatchCommit batch) {
        return batch.files().stream()
                .map(BatchFile::version)
                .<CommitOutcome>map(CommitOutcome.Committed::new)
                .toList();
    }

    /** Commits the first file of a pack of two, and removes it. */
    private BatchCommit batchWithARemovedFile() throws CloudMwException {
        BatchCommit batch = batch("/f", 2);
        assertThat(catalog.commitAll(some(batch, 0, 1))).hasSize(1);
        catalog.remove(batch.files().get(0).version().file(), 2);
        return batch;
    }

    /** Does something before the next write reaches the table; returns the count of writes. */
    private AtomicInteger beforeTheFirstWrite(ThrowingCallable action) {
        AtomicInteger writes = new AtomicInteger();
        network.set(operation -> {
            if (operation.equals("TransactWriteItems") && writes.getAndIncrement() == 0) {
                assertThatCode(action).doesNotThrowAnyException();
            }
            return Fault.NONE;
        });
        return writes;
    }

    private int transactions(BatchCommit batch) throws CloudMwException {
        AtomicInteger transactions = new AtomicInteger();
        network.set(operation -> {
            transactions.addAndGet(operation.equals("TransactWriteItems") ? 1 : 0);
            return Fault.NONE;
        });
        assertThat(catalog.commitAll(batch)).isEqualTo(committed(batch));
        network.set(operation -> Fault.NONE);
        return transactions.get();
    }

    @Test
    void transactionCommitsManyFiles() throws Exception {
        assertThat(transactions(batch("/d/f", 100)))
                .as("the pack, and ten files each")
                .isLessThanOrEqualTo(11);
        assertThat(transactions(batch("/d/f", 100))).as("each replaces another").isLessThanOrEqualTo(17);
    }

    /** The collector sees no file that names the pack. Before it closes the pack, another coordinator commits one. */
    @Test
    void fileCommittedAfterTheSearchKeepsThePack() throws Exception {
        BatchCommit batch = batchWithARemovedFile();
        Lease lease = lease(catalog);
        AtomicInteger writes;
        try (Catalog other = dynamoDb.open(table)) {
            writes = beforeTheFirstWrite(
                    () -> assertThat(other.commitAll(some(batch, 1, 2))).isEqualTo(committed(some(batch, 1, 2))));
            assertThat(catalog.retirePack(lease, pack(batch), 3)).isFalse();
        }
        assertThat(writes.get()).isPositive();
        assertThat(catalog.retirePack(lease, pack(batch), 3 + LATER_MILLIS)).isFalse();
        assertThat(catalog.state(pack(batch))).contains(VersionState.CURRENT);
        assertThat(catalog.current(new FilePath(VOLUME.name(), "/f1"))).isPresent();
    }

    /** A writer that was stopped for long commits a file of a pack that is about to be retired. */
    @Test
    void closedPackTakesNoFile() throws Exception {
        BatchCommit batch = batchWithARemovedFile();
        assertThat(catalog.retirePack(lease(catalog), pack(batch), 3)).isFalse();
        assertThat(catalog.retirePack(lease(catalog), pack(batch), 4))
                .as("too soon")
                .isFalse();
        List<CommitOutcome> outcomes = catalog.commitAll(batch);
        assertThat(outcomes.get(0))
                .as("committed before")
                .isEqualTo(committed(batch).get(0));
        assertThat(((CommitOutcome.Refused) outcomes.get(1)).reason().code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(catalog.retirePack(lease(catalog), pack(batch), 3 + LATER_MILLIS))
                .isTrue();
    }

    /** The file's transaction has read the pack as open; the pack is closed before it is written. */
    @Test
    void packClosedDuringACommitTakesNoFile() throws Exception {
        BatchCommit batch = batchWithARemovedFile();
        Lease lease = lease(catalog);
        try (Catalog other = dynamoDb.open(table)) {
            var unused = beforeTheFirstWrite(() -> {
                assertThat(other.retirePack(lease, pack(batch), 3)).isFalse();
                assertThat(other.retirePack(lease, pack(batch), 3 + LATER_MILLIS))
                        .isTrue();
            });
            List<CommitOutcome> outcomes = catalog.commitAll(some(batch, 1, 2));
            assertThat(((CommitOutcome.Refused) outcomes.get(0)).reason().code())
                    .isEqualTo(ErrorCode.CONFLICT);
        }
        assertThat(catalog.current(new FilePath(VOLUME.name(), "/f1"))).isEmpty();
    }

    private static Pack smaller(BatchCommit batch) {
        Pack pack = PackSamples.batch(VOLUME, List.of(STORE), "/x").pack().orElseThrow();
        return pack.with(
                new PackRelocation(pack(batch), pack.version().id(), List.of(STORE), List.of(new ByteRange(10, 10))));
    }

    /** The file's transaction has read the pack as open; the pack is closed and replaced before it is written. */
    @Test
    void packCompactedDuringACommitTakesNoFile() throws Exception {
        BatchCommit batch = batch("/f", 2);
        assertThat(catalog.commitAll(some(batch, 0, 1))).hasSize(1);
        Lease lease = lease(catalog);
        try (Catalog other = dynamoDb.open(table)) {
            var unused = beforeTheFirstWrite(() -> {
                assertThat(other.closePack(lease, pack(batch), 3)).isFalse();
                assertThat(other.closePack(lease, pack(batch), 4))
                        .as("too soon")
                        .isFalse();
                assertThat(other.closePack(lease, pack(batch), 3 + LATER_MILLIS))
                        .isTrue();
                assertThat(other.replacePack(lease, pack(batch), smaller(batch), 3 + LATER_MILLIS))
                        .isTrue();
            });
            List<CommitOutcome> outcomes = catalog.commitAll(some(batch, 1, 2));
            assertThat(((CommitOutcome.Refused) outcomes.get(0)).reason().code())
                    .isEqualTo(ErrorCode.CONFLICT);
        }
        assertThat(catalog.current(new FilePath(VOLUME.name(), "/f1"))).isEmpty();
    }

    /** Another coordinator takes the lease up and compacts the pack before this one's transaction is written. */
    @Test
    void packIsReplacedByOneOfTwoCoordinators() throws Exception {
        BatchCommit batch = batch("/f", 2);
        assertThat(catalog.commitAll(batch)).hasSize(2);
        Lease lease = lease(catalog);
        assertThat(catalog.closePack(lease, pack(batch), 3)).isFalse();
        Pack ours = smaller(batch);
        Pack theirs = smaller(batch);
        try (Catalog other = dynamoDb.open(table)) {
            var unused = beforeTheFirstWrite(() -> {
                Lease next = other.leases()
                        .acquire("collection", "other", Duration.ofSeconds(1), LATER_MILLIS)
                        .orElseThrow();
                assertThat(other.replacePack(next, pack(batch), theirs, 3 + LATER_MILLIS))
                        .isTrue();
            });
            assertThat(catchThrowableOfType(
                                    CloudMwException.class,
                                    () -> catalog.replacePack(lease, pack(batch), ours, 3 + LATER_MILLIS))
                            .code())
                    .isEqualTo(ErrorCode.LEASE_LOST);
        }
        assertThat(catalog.packs("", 10).items())
                .extracting(FileVersion::id)
                .containsExactly(theirs.version().id());
        assertThat(catalog.relocation(pack(batch))).isEqualTo(theirs.relocation());
        assertThat(catalog.state(ours.version().id())).isEmpty();
    }

    @Test
    void packIsReplacedUnderFaults() throws Exception {
        for (Fault fault : FAULTS) {
            BatchCommit batch = batch("/" + fault, 3);
            assertThat(catalog.commitAll(batch)).hasSize(3);
            Lease lease = lease(catalog);
            assertThat(catalog.closePack(lease, pack(batch), 3)).isFalse();
            Pack pack = smaller(batch);
            AtomicInteger writes = new AtomicInteger();
            network.set(operation ->
                    operation.equals("TransactWriteItems") && writes.getAndIncrement() == 0 ? fault : Fault.NONE);
            boolean replaced = false;
            for (int tries = 0; tries < 10 && !replaced; tries++) {
                try {
                    replaced = catalog.replacePack(lease, pack(batch), pack, 3 + LATER_MILLIS);
                } catch (CloudMwException e) {
                    assertThat(e.code()).isNotIn(ErrorCode.CONFLICT, ErrorCode.INTERNAL);
                }
            }
            assertThat(writes.get()).isPositive();
            assertThat(replaced).as("%s", fault).isTrue();
            assertThat(catalog.state(pack(batch))).contains(VersionState.RETIRED);
            assertThat(catalog.relocation(pack(batch))).isEqualTo(pack.relocation());
        }
    }

    /** Requests fail or lose their answers; the client repeats the call until it gets an answer. */
    @Test
    void repeatedCallUnderFaultsCommitsEachFileOnce() throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        BatchCommit batch = batch("/d/f", 60);
        network.set(operation -> operation.equals("TransactWriteItems") && random.nextInt(3) == 0
                ? FAULTS.get(random.nextInt(FAULTS.size()))
                : Fault.NONE);
        List<CommitOutcome> outcomes = List.of();
        for (int tries = 0; tries < 100 && outcomes.isEmpty(); tries++) {
            try {
                outcomes = catalog.commitAll(batch);
            } catch (CloudMwException e) {
                assertThat(e.code()).isIn(ErrorCode.COORDINATOR_UNAVAILABLE, ErrorCode.OVERLOADED);
            }
        }
        network.set(operation -> Fault.NONE);
        assertThat(outcomes).isEqualTo(committed(batch));
        List<VersionId> live = new ArrayList<>();
        catalog.live("", 100).items().forEach(version -> live.add(version.id()));
        assertThat(live).hasSize(61);
        assertThat(catalog.changes().position(VOLUME.name())).isEqualTo(60);
        assertThat(catalog.open("", 100).items()).isEmpty();
        for (BatchFile file : batch.files()) {
            assertThat(catalog.current(file.version().file()).map(FileVersion::id))
                    .contains(file.version().id());
        }
    }
}
