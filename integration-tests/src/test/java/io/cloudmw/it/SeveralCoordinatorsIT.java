package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.cli.fleet.LocalFleet;
import io.cloudmw.client.cli.fleet.ServerProcess;
import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.Lease;
import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.it.dynamodb.DynamoDbExtension;
import io.cloudmw.it.dynamodb.DynamoDbLocal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Three coordinator processes that share a table of the real DynamoDB engine, and what becomes of a cluster as they die. */
@ExtendWith(DynamoDbExtension.class)
final class SeveralCoordinatorsIT {
    private static final Path LAUNCHER =
            Path.of("..", "cloudmw").toAbsolutePath().normalize();
    private static final VolumeName VOLUME = new VolumeName("v");
    private static final int WRITERS = 3;
    private static final int FILE_BYTES = 96 << 10;
    private static final Duration CHECK = Duration.ofSeconds(1);

    private final DynamoDbLocal dynamoDb;
    private final String table = DynamoDbLocal.newTable();
    private final Map<FilePath, Long> acknowledged = new ConcurrentHashMap<>();
    private final Map<FilePath, String> failed = new ConcurrentHashMap<>();
    private final AtomicBoolean stopped = new AtomicBoolean();

    @TempDir
    private Path directory;

    private LocalFleet processes;
    private String addresses = "";

    SeveralCoordinatorsIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @BeforeEach
    void prepare() throws IOException {
        processes = new LocalFleet(
                directory, LAUNCHER, Map.of("AWS_ACCESS_KEY_ID", "test", "AWS_SECRET_ACCESS_KEY", "test"));
    }

    @Test
    void ofThreeUnderLoadTwoAreKilledAndOneIsStoppedAndNoAcknowledgedWriteIsLost() throws Exception {
        try (LocalFleet fleet = processes;
                Catalog beside = dynamoDb.open(table)) {
            long startedMillis = WallClock.system().millis();
            startAll();
            try (CloudMw client =
                    CloudMw.connect(CloudMwOptions.of(addresses).withCoordinatorTimeout(Duration.ofMinutes(2)))) {
                createVolume(client);
                List<Thread> writers = startWriters(client);
                try {
                    letWritersGoOn();
                    fleet.process("coordinator-1").kill();
                    letWritersGoOn();
                    ServerProcess second = fleet.process("coordinator-2");
                    second.pause();
                    letWritersGoOn();
                    long done = epoch(beside);
                    second.resume();
                    fleet.process("coordinator-3").kill();
                    letWritersGoOn();
                    soon().until(() -> epoch(beside) > done);
                } finally {
                    stopped.set(true);
                    for (Thread writer : writers) {
                        writer.join();
                    }
                }
                assertThat(failed).isEmpty();
                allIsThere(client);
            }
            long ranMillis = WallClock.system().millis() - startedMillis;
            assertThat(epoch(beside))
                    .as("each epoch is a run of the job; none began before the one before had rested")
                    .isLessThanOrEqualTo(1 + ranMillis / CHECK.toMillis());
            for (int i = 1; i <= 3; i++) {
                assertThat(Files.readAllLines(fleet.log("helper-" + i)))
                        .filteredOn(line -> line.contains("is registered"))
                        .as("registrations of helper " + i)
                        .hasSize(1);
            }
        }
    }

    private void startAll() throws IOException {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            ServerProcess coordinator = processes.startCoordinator("coordinator-" + i, settings());
            all.add(coordinator.ready().path("address").asText());
        }
        addresses = String.join(",", all);
        for (int i = 1; i <= 3; i++) {
            Map<String, String> own = new HashMap<>(processes.disk("disk-" + i));
            own.put("helper.coordinator", addresses);
            processes.startHelper("helper-" + i, own);
        }
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("coordinator.catalog", "dynamodb:" + table);
        settings.put("coordinator.catalog-region", "eu-west-1");
        settings.put("coordinator.catalog-endpoint", dynamoDb.endpoint().toString());
        settings.put("coordinator.catalog-create", "true");
        settings.put("coordinator.abandoned-check", "1s");
        return settings;
    }

    /** Once the coordinator that is asked knows all helpers. */
    private void createVolume(CloudMw client) {
        Volume volume = new Volume(
                VOLUME, new Chunking.ByCount(1), 3, List.of(Fleet.disks(1, 2, 3)), 2, Mode.COOPERATIVE, false, 0);
        soon().ignoreExceptions().until(() -> client.createVolume(volume).join() != null);
    }

    private List<Thread> startWriters(CloudMw client) {
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            Thread thread = new Thread(() -> write(client, writer), "writer-" + writer);
            thread.start();
            writers.add(thread);
        }
        return writers;
    }

    private void write(CloudMw client, int writer) {
        Path source = directory.resolve("writer-" + writer);
        for (long seed = writer; !stopped.get(); seed += WRITERS) {
            FilePath file = new FilePath(VOLUME, "/w" + writer + "/f" + seed);
            try {
                Files.write(source, content(seed));
                client.put(source, file, PutOptions.defaults()).join();
                acknowledged.put(file, seed);
            } catch (IOException | RuntimeException e) {
                failed.put(file, e.toString());
            }
        }
    }

    private static byte[] content(long seed) {
        byte[] bytes = new byte[FILE_BYTES];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private void letWritersGoOn() {
        int enough = acknowledged.size() + 5 * WRITERS;
        soon().until(() -> acknowledged.size() >= enough || !failed.isEmpty());
    }

    private void allIsThere(CloudMw client) throws IOException {
        Path back = directory.resolve("back");
        for (Map.Entry<FilePath, Long> written : acknowledged.entrySet()) {
            client.get(written.getKey(), back, GetOptions.defaults()).join();
            assertThat(Files.readAllBytes(back)).as(written.getKey().toString()).isEqualTo(content(written.getValue()));
        }
    }

    private static long epoch(Catalog catalog) throws IOException {
        return catalog.leases().all().stream()
                .filter(lease -> lease.job().equals("abandoned-uploads"))
                .mapToLong(Lease::epoch)
                .sum();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofMinutes(3));
    }
}
