package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.it.dynamodb.DynamoDbExtension;
import io.cloudmw.it.dynamodb.DynamoDbLocal;
import io.cloudmw.it.dynamodb.LeaseAudit;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests of three coordinator processes that share a table of Amazon's DynamoDB engine, while some of them die. */
@ExtendWith(DynamoDbExtension.class)
final class SeveralCoordinatorsIT {
    private static final Path LAUNCHER =
            Path.of("..", "cloudmw").toAbsolutePath().normalize();
    private static final VolumeName BUSY = new VolumeName("busy");
    private static final VolumeName QUIET = new VolumeName("quiet");
    private static final int FILE_BYTES = 96 << 10;
    private static final int CALLS = 60;

    /** The number of abandoned uploads that the test leaves at a time. */
    private static final int UPLOADS = 3;

    private final DynamoDbLocal dynamoDb;
    private final String table = DynamoDbLocal.newTable();
    private final List<String> addresses = new ArrayList<>();
    private final List<VersionId> uploads = new ArrayList<>();

    /**
     * The chunks with an owed copy, and how often their copies were settled before. A writer's own copy may also have
     * been owed when a coordinator died.
     */
    private final Map<ChunkId, Long> owed = new HashMap<>();

    private final List<VersionId> garbage = new ArrayList<>();

    @TempDir
    private Path directory;

    private LocalFleet processes;

    SeveralCoordinatorsIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @BeforeEach
    void prepare() throws IOException {
        processes = new LocalFleet(
                directory,
                LAUNCHER,
                Map.of(
                        "AWS_ACCESS_KEY_ID", "test",
                        "AWS_SECRET_ACCESS_KEY", "test",
                        "CLOUDMW_JAVA_OPTS", Fleet.SHORT_LIVED));
    }

    /**
     * Whenever the coordinator with the upkeep lease is killed or paused, upkeep is due from before and after that.
     * Abandoned uploads, owed copies and garbage are waiting. Another coordinator does this work, and a coordinator
     * that resumes repeats none of it.
     */
    @Test
    @Tag("full")
    void threeCoordinatorsUnderLoadLoseNothingWhenTwoAreKilledAndOneIsStopped() throws Exception {
        loseUpkeepers(true);
    }

    @Test
    void threeCoordinatorsUnderLoadLoseNothingWhenOneIsKilled() throws Exception {
        loseUpkeepers(false);
    }

    /**
     * Kills the first coordinator with the upkeep lease. If {@code all}, also pauses its successor and kills the third.
     */
    private void loseUpkeepers(boolean all) throws Exception {
        try (LocalFleet fleet = processes;
                LeaseAudit audit = new LeaseAudit(dynamoDb);
                Catalog beside = dynamoDb.open(table)) {
            startAll(audit);
            try (CloudMw client = BusyClients.connect(from(0));
                    BusyClients clients = startClients(client)) {
                clients.goOn(CALLS);
                ServerProcess first = upkeeper(audit);
                leaveWork(client, beside, audit);
                first.kill();
                leaveWork(client, beside, audit);
                clients.goOn(CALLS);
                awaitWork(beside);

                ServerProcess second = upkeeper(audit);
                assertThat(second).isNotSameAs(first);
                if (all) {
                    loseTwoMore(second, client, beside, audit, clients);
                }
                clients.stop();

                clients.check(changes(beside));
                clients.checkBytes(client, directory.resolve("back"));
                awaitCollection(beside);
            }
            onceEach(audit, all ? 4 : 2);
            for (int i = 1; i <= 3; i++) {
                assertThat(Files.readAllLines(fleet.log("helper-" + i)))
                        .filteredOn(line -> line.contains("is registered"))
                        .as("registrations of helper " + i)
                        .hasSize(1);
            }
        }
    }

    private void loseTwoMore(
            ServerProcess second, CloudMw client, Catalog beside, LeaseAudit audit, BusyClients clients)
            throws Exception {
        leaveWork(client, beside, audit);
        second.pause();
        leaveWork(client, beside, audit);
        clients.goOn(CALLS);
        awaitWork(beside);

        ServerProcess third = upkeeper(audit);
        assertThat(third).isNotSameAs(second);
        leaveWork(client, beside, audit);
        second.resume();
        clients.goOn(CALLS);
        third.kill();
        leaveWork(client, beside, audit);
        clients.goOn(CALLS);
        awaitWork(beside);
        assertThat(upkeeper(audit)).isSameAs(second);
    }

    private void startAll(LeaseAudit audit) throws IOException {
        for (int i = 1; i <= 3; i++) {
            String name = "coordinator-" + i;
            ServerProcess coordinator = processes.startCoordinator(
                    name, settings(audit.endpoint(name).toString()));
            addresses.add(coordinator.ready().path("address").asText());
        }
        for (int i = 1; i <= 3; i++) {
            Map<String, String> own = new HashMap<>(processes.disk("disk-" + i));
            own.put("helper.coordinator", from(0));
            processes.startHelper("helper-" + i, own);
        }
    }

    private Map<String, String> settings(String endpoint) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("coordinator.catalog", "dynamodb:" + table);
        settings.put("coordinator.catalog-region", "eu-west-1");
        settings.put("coordinator.catalog-endpoint", endpoint);
        settings.put("coordinator.catalog-create", "true");
        settings.put("coordinator.abandoned-check", "1s");
        settings.put("coordinator.repair-interval", "200ms");
        settings.put("coordinator.owed-after", "1m"); // The test's owed copies are older than this.
        settings.put("coordinator.collect-every", "1s");
        settings.put("coordinator.token-ttl", "10s");
        settings.put("coordinator.clock-skew", "100ms");
        return settings;
    }

    /** Returns the addresses of all coordinators, beginning with one of them. */
    private String from(int first) {
        List<String> rotated = new ArrayList<>(addresses);
        Collections.rotate(rotated, -first);
        return String.join(",", rotated);
    }

    /** Starts clients once the coordinator knows all helpers; each client prefers another coordinator. */
    private BusyClients startClients(CloudMw client) {
        for (VolumeName name : List.of(QUIET, BUSY)) {
            Volume volume = new Volume(
                    name, new Chunking.ByCount(1), 3, List.of(Fleet.disks(1, 2, 3)), 2, Mode.COOPERATIVE, false, 0);
            soon().ignoreExceptions()
                    .until(() -> client.volumes().create(volume).join() != null);
        }
        return BusyClients.start(List.of(from(0), from(1), from(2)), BUSY, FILE_BYTES);
    }

    private ServerProcess upkeeper(LeaseAudit audit) {
        return processes.process(audit.holder("upkeep").orElseThrow());
    }

    private void leaveWork(CloudMw client, Catalog beside, LeaseAudit audit) throws IOException {
        for (int i = 0; i < UPLOADS; i++) {
            VersionId upload = VersionId.random();
            beside.touch(upload, 1);
            uploads.add(upload);
        }
        VersionId removed = put(client, beside, "/removed");
        client.files().remove(new FilePath(QUIET, "/removed")).join();
        garbage.add(removed);
        ChunkId chunk = new ChunkId(put(client, beside, "/kept" + owed.size()), 0);
        owed.put(chunk, audit.settlements(chunk, owingStore()));
        Files.delete(copy(chunk, owingStore()));
        beside.report(List.of(new ReplicaReport(chunk, owingStore(), ReplicaState.OWED)), 1);
    }

    /** Puts a file and waits until no copy of it is missing. */
    private VersionId put(CloudMw client, Catalog beside, String path) throws IOException {
        Path source = directory.resolve("source");
        Files.write(source, new byte[FILE_BYTES]);
        VersionId version = client.files()
                .put(source, new FilePath(QUIET, path), PutOptions.defaults())
                .join()
                .version()
                .id();
        soon().until(() -> beside.faults(version, 0, 1).isEmpty());
        return version;
    }

    private static StoreId owingStore() {
        return Fleet.disks(3)[0];
    }

    private Path copy(ChunkId chunk, StoreId store) {
        String version = chunk.version().value();
        return directory.resolve(Path.of(store.value(), "chunks", version.substring(0, 2), chunk.toString()));
    }

    private static List<Change> changes(Catalog beside) throws IOException {
        List<Change> changes = new ArrayList<>();
        List<Change> page;
        do {
            page = beside.changes()
                    .after(BUSY, changes.size(), Catalog.MAX_PAGE)
                    .items();
            changes.addAll(page);
        } while (page.size() == Catalog.MAX_PAGE);
        return changes;
    }

    private void awaitWork(Catalog beside) {
        soon().untilAsserted(() -> {
            for (ChunkId chunk : owed.keySet()) {
                assertThat(beside.faults(chunk.version(), 0, 1)).isEmpty();
                assertThat(copy(chunk, owingStore())).exists();
            }
            for (VersionId upload : uploads) {
                assertThat(beside.resume(upload, 1)).as("open: " + upload).isFalse();
            }
        });
    }

    private void awaitCollection(Catalog beside) {
        // The time suffices for three rounds, after the load of all that happened meanwhile.
        await().atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(beside.retired("", 1).items()).isEmpty());
        for (VersionId version : garbage) {
            for (StoreId store : Fleet.disks(1, 2, 3)) {
                assertThat(copy(new ChunkId(version, 0), store)).doesNotExist();
            }
        }
    }

    private void onceEach(LeaseAudit audit, int upkeepers) {
        assertThat(audit.violations()).isEmpty();
        assertThat(audit.grants("upkeep"))
                .as("another coordinator follows each that died or was stopped")
                .isEqualTo(upkeepers);
        for (VersionId upload : uploads) {
            assertThat(audit.abandonments(upload))
                    .as("abandonments of " + upload)
                    .isEqualTo(1);
            assertThat(audit.forgettings(upload)).as("forgettings of " + upload).isEqualTo(1);
        }
        owed.forEach((chunk, before) -> assertThat(audit.settlements(chunk, owingStore()) - before)
                .as("times " + chunk + " was made")
                .isEqualTo(1));
        for (VersionId version : garbage) {
            assertThat(audit.forgettings(version))
                    .as("forgettings of " + version)
                    .isEqualTo(1);
            for (StoreId store : Fleet.disks(1, 2, 3)) {
                assertThat(audit.settlements(new ChunkId(version, 0), store))
                        .as("deletions of " + version + " in " + store + "; none, if whoever had it done was killed")
                        .isLessThanOrEqualTo(1);
            }
        }
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofMinutes(5));
    }
}
