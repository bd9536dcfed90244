package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.it.dynamodb.DynamoDbExtension;
import io.cloudmw.it.dynamodb.DynamoDbLocal;
import io.cloudmw.it.dynamodb.LeaseAudit;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests of changing volumes and of stores declared lost, on processes, by the commands of a user. */
@ExtendWith(DynamoDbExtension.class)
final class VolumeChangeIT {
    private static final long MIB = 1 << 20;
    private static final Map<String, String> HURRIED = Map.of(
            "coordinator.heartbeat-interval", "200ms",
            "coordinator.helper-ttl", "8s",
            "coordinator.repair-interval", "200ms",
            "coordinator.owed-after", "2s",
            "coordinator.task-life", "2s",
            "coordinator.token-ttl", "3s",
            "coordinator.clock-skew", "100ms");

    private static final FilePath FILE = FilePath.parse("v:/f");

    private final DynamoDbLocal dynamoDb;

    @TempDir
    private Path directory;

    VolumeChangeIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    private static ConditionFactory within() {
        return Awaitility.await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofMillis(200));
    }

    private Fleet fleet(String... processes) throws IOException {
        Fleet fleet = Fleet.hosted(directory, HURRIED, processes);
        fleet.startDiskHelpers(4, "");
        return fleet;
    }

    private static CommandLine.Result cloudmw(Fleet fleet, String... arguments) {
        return new CommandLine(fleet.coordinatorAddress()).run(arguments);
    }

    private static long chunks(Path disk) throws IOException {
        if (!Files.exists(disk)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(disk)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9a-f]{32}-[0-9a-f]{8}"))
                    .count();
        }
    }

    private static boolean hasCopies(CloudMw client, int replicas) {
        List<Chunk> chunks = client.files()
                .locate(FILE, client.files().stat(FILE).join().version().id(), 0)
                .join();
        return chunks.stream().allMatch(chunk -> chunk.replicas().size() == replicas);
    }

    private static boolean isLeft(CloudMw client) {
        return client.volumes().get(FILE.volume()).join().leaving().isEmpty();
    }

    @Test
    void replicasAreAddedAndRemovedWhenTheVolumeIsChanged() throws Exception {
        try (Fleet fleet = fleet()) {
            fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2, 3));
            Path source = fleet.file("source", 8 * MIB);
            fleet.put(source, FILE);
            cloudmw(fleet, "volume", "set", "v", "--replicas", "3").orThrow();
            within().until(() -> hasCopies(fleet.client(), 3));
            assertThat(chunks(fleet.disk(1)) + chunks(fleet.disk(2)) + chunks(fleet.disk(3)))
                    .isEqualTo(24);

            CommandLine.Result tooMany = cloudmw(fleet, "volume", "set", "v", "--replicas", "4");
            assertThat(tooMany.exitCode()).isNotZero();
            assertThat(tooMany.err()).contains("3 stores", "4");
            CommandLine.Result former = cloudmw(fleet, "volume", "set", "v", "--generation", "1", "--mode", "kn");
            assertThat(former.exitCode()).isEqualTo(4);
            assertThat(former.err()).contains("generation 2");

            cloudmw(fleet, "volume", "set", "v", "--replicas", "1", "--write-quorum", "1")
                    .orThrow();
            within().until(() -> hasCopies(fleet.client(), 1));
            fleet.get(FILE, fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    /** The coordinator is killed while the store is emptied. */
    @Test
    void leavingStoreIsEmptiedAndReleasedAndCanBeRemoved() throws Exception {
        try (Fleet fleet = fleet("coordinator", "helper-1")) {
            fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2, 3));
            Path source = fleet.file("source", 16 * MIB);
            fleet.put(source, FILE);
            assertThat(chunks(fleet.disk(1))).isPositive();
            String leaving = cloudmw(
                            fleet, "volume", "set", "v", "--add-store", "disk-4", "--remove-store", "disk-1", "--json")
                    .orThrow()
                    .out();
            assertThat(leaving).contains("\"leaving\":[\"disk-1\"]");
            assertThat(cloudmw(fleet, "store", "rm", "disk-1").exitCode()).isEqualTo(4);
            fleet.coordinator().kill();
            fleet.restart("coordinator");

            within().until(() -> isLeft(fleet.client()));
            assertThat(chunks(fleet.disk(1))).isZero();
            cloudmw(fleet, "volume", "show", "v").orThrow();
            fleet.helper(1).kill();
            within().until(() -> cloudmw(fleet, "store", "rm", "disk-1").exitCode() == 0);
            fleet.get(FILE, fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    /** When the files are read, all stores of their plans have left the volume. */
    @Test
    void openFileIsReadAfterAllStoresOfItsPlanHaveLeft() throws Exception {
        try (Fleet fleet = fleet("helper-1", "helper-2")) {
            fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2));
            Path source = fleet.file("source", 8 * MIB);
            fleet.put(source, FILE);
            try (RemoteFile begun = fleet.client().files().open(FILE).get(5, TimeUnit.MINUTES);
                    RemoteFile untouched = fleet.client().files().open(FILE).get(5, TimeUnit.MINUTES)) {
                assertReads(begun, source, 0, 1000);
                cloudmw(fleet, "volume", "set", "v", "--add-store", "disk-3,disk-4", "--remove-store", "disk-1,disk-2")
                        .orThrow();
                within().until(() -> isLeft(fleet.client()));
                assertThat(chunks(fleet.disk(1)) + chunks(fleet.disk(2))).isZero();
                for (int helper = 1; helper <= 2; helper++) {
                    String store = "disk-" + helper;
                    fleet.helper(helper).kill();
                    within().until(() -> cloudmw(fleet, "store", "rm", store).exitCode() == 0);
                }
                assertReads(begun, source, 1000, (int) (8 * MIB - 1000));
                assertReads(begun, source, 0, 1000);
                assertReads(untouched, source, 0, (int) (8 * MIB));
            }
        }
    }

    private static void assertReads(RemoteFile file, Path source, int from, int length) throws Exception {
        ByteBuffer target = ByteBuffer.allocate(length);
        assertThat(file.read(target, from).get(5, TimeUnit.MINUTES)).isEqualTo(length);
        assertThat(target.flip())
                .isEqualTo(ByteBuffer.wrap(Files.readAllBytes(source), from, length)
                        .slice());
    }

    @Test
    void replicasOfALostDiskAreMadeAgainAndItsHelperIsInformed() throws Exception {
        try (Fleet fleet = fleet("helper-1")) {
            fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2, 3));
            fleet.volume("single", new Chunking.BySize(MIB), 1, Fleet.disks(1));
            Path source = fleet.file("source", 16 * MIB);
            fleet.put(source, FILE);
            FilePath gone = FilePath.parse("single:/gone");
            fleet.put(source, gone);
            fleet.helper(1).kill();
            cloudmw(fleet, "store", "lost", "disk-1", "--yes").orThrow();

            within().until(() -> hasCopies(fleet.client(), 2));
            fleet.get(FILE, fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            within().until(() -> cloudmw(fleet, "status").out().contains("single:/gone in [disk-1]"));
            assertThat(cloudmw(fleet, "status").out()).contains("volume single needs 1 more stores");
            CommandLine.Result read =
                    cloudmw(fleet, "get", "single:/gone", fleet.target("gone").toString());
            assertThat(read.exitCode()).isNotZero();
            assertThat(read.err()).contains("declared lost: [disk-1]");

            assertThat(cloudmw(fleet, "store", "rm", "disk-1").exitCode()).isEqualTo(4);
            cloudmw(fleet, "volume", "rm", "single", "--force").orThrow();
            within().until(() -> cloudmw(fleet, "store", "rm", "disk-1").exitCode() == 0);
        }
    }

    /**
     * Regression test: the coordinator refused the helper with all its disks, so chunks on its healthy disks could not
     * be read.
     */
    @Test
    void helperWithALostDiskServesItsOtherDisksAndPrintsTheRemedy() throws Exception {
        try (Fleet fleet = Fleet.hosted(directory, HURRIED, "helper-1")) {
            Map<String, String> disks = new HashMap<>();
            for (int disk = 1; disk <= 3; disk++) {
                disks.put("helper.disk.disk-" + disk + ".path", fleet.disk(disk).toString());
            }
            fleet.startHelper(1, disks);
            fleet.volume("v", new Chunking.BySize(MIB), 1, Fleet.disks(1, 3));
            fleet.volume("w", new Chunking.BySize(MIB), 1, Fleet.disks(2));
            Path source = fleet.file("source", 8 * MIB);
            fleet.put(source, FILE);
            cloudmw(fleet, "store", "lost", "disk-2", "--yes").orThrow();
            fleet.helper(1).kill();

            ServerProcess helper = fleet.restart("helper-1");

            assertThat(helper.ready().path("registered").asBoolean()).isTrue();
            assertThat(helper.ready().path("lost_disks").toString()).isEqualTo("[\"disk-2\"]");
            assertThat(Files.readString(directory.resolve("helper-1.log")))
                    .contains("disk disk-2 was declared lost", "cloudmw store rm disk-2");
            fleet.get(FILE, fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            within().until(() -> cloudmw(fleet, "status").out().contains("helper helper-1 does not use it"));
            assertThat(cloudmw(fleet, "status").out()).contains("cloudmw store rm disk-2");

            cloudmw(fleet, "volume", "rm", "w", "--force").orThrow();
            within().until(() -> cloudmw(fleet, "store", "rm", "disk-2").exitCode() == 0);
            fleet.helper(1).kill();
            assertThat(fleet.restart("helper-1").ready().has("lost_disks")).isFalse();
            assertThat(fleet.stores()).hasSize(3).allMatch(StoreStatus::available);
        }
    }

    /** The coordinator with the upkeep lease is killed midway; another one remains. */
    @Test
    void leavingStoreIsReleasedByAnotherCoordinatorWhenTheFirstOneDies() throws Exception {
        Map<String, String> environment = Map.of(
                "AWS_ACCESS_KEY_ID", "test",
                "AWS_SECRET_ACCESS_KEY", "test",
                "CLOUDMW_JAVA_OPTS", Fleet.SHORT_LIVED);
        try (LocalFleet processes = new LocalFleet(directory, CommandLine.LAUNCHER, environment);
                LeaseAudit audit = new LeaseAudit(dynamoDb)) {
            List<String> addresses = new ArrayList<>();
            String table = DynamoDbLocal.newTable();
            for (int i = 1; i <= 2; i++) {
                String name = "coordinator-" + i;
                Map<String, String> settings = new HashMap<>(HURRIED);
                settings.put("coordinator.catalog", "dynamodb:" + table);
                settings.put("coordinator.catalog-region", "eu-west-1");
                settings.put(
                        "coordinator.catalog-endpoint", audit.endpoint(name).toString());
                settings.put("coordinator.catalog-create", "true");
                ServerProcess coordinator = processes.startCoordinator(name, settings);
                addresses.add(coordinator.ready().path("address").asText());
            }
            for (int i = 1; i <= 4; i++) {
                Map<String, String> own = new HashMap<>(processes.disk("disk-" + i));
                own.put("helper.coordinator", String.join(",", addresses));
                processes.startHelper("helper-" + i, own);
            }
            try (CloudMw client = CloudMw.connect(CloudMwOptions.of(String.join(",", addresses)))) {
                changed(client, () -> {
                    within().until(() -> audit.holder("upkeep").isPresent());
                    processes.process(audit.holder("upkeep").orElseThrow()).kill();
                });
            }
        }
    }

    private void changed(CloudMw client, Runnable afterwards) throws Exception {
        client.volumes()
                .create(new Volume(
                        FILE.volume(),
                        new Chunking.BySize(MIB),
                        2,
                        List.of(Fleet.disks(1, 2, 3)),
                        2,
                        Mode.DEFAULT,
                        false,
                        0))
                .join();
        Path source = directory.resolve("source");
        Files.write(source, new byte[(int) (12 * MIB)]);
        client.files().put(source, FILE, PutOptions.defaults()).join();
        StoreId first = new StoreId("disk-1");
        VolumeName volume = FILE.volume();
        Volume changed = client.volumes()
                .change(VolumeChange.of(volume)
                        .addStore(new StoreId("disk-4"))
                        .removeStore(first)
                        .replicas(3)
                        .build())
                .join();
        assertThat(changed.generation()).isEqualTo(2);
        afterwards.run();
        within().until(() -> isLeft(client));
        within().until(() -> hasCopies(client, 3));
        client.stores().remove(first).join();
        Path back = directory.resolve("back");
        client.files().get(FILE, back, GetOptions.defaults()).join();
        assertThat(back).hasSameBinaryContentAs(source);
    }
}
