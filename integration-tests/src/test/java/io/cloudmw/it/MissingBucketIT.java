package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.s3.BucketServer;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a volume whose bucket disappears. The processes' own checks of buckets are too rare to run during a test.
 */
final class MissingBucketIT {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final StoreId GONE = new StoreId("bucket-2");
    private static final int CHUNK = 1 << 16;
    private static final int CHUNKS = 40;

    @TempDir
    private Path directory;

    private BucketServer server;
    private LocalFleet fleet;
    private final List<StoreId> stores = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        server = new BucketServer(directory.resolve("server"), InetAddress.getLoopbackAddress());
        fleet = Fleet.withCredentials(
                directory.resolve("fleet"), Map.of("AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret"));
        fleet.startCoordinator(Map.of("coordinator.store-check", "1h"));
        fleet.startHelper("h1", Map.of("helper.store-check", "1h"));
        fleet.startHelper("h2", Map.of("helper.store-check", "1h"));
        try (CloudMw client = connect()) {
            for (int number = 1; number <= 4; number++) {
                String name = "bucket-" + number;
                Files.createDirectory(directory.resolve("server").resolve(name));
                Store store = new Store(
                        new StoreId(name), name, new Store.S3(name, "us-east-1", server.endpoint(), true, ""));
                client.stores().add(store, false).join();
                stores.add(store.id());
            }
            client.volumes()
                    .create(new Volume(
                            new VolumeName("v"), new Chunking.BySize(CHUNK), 2, stores, 2, Mode.ROUNDS, false, 0))
                    .join();
        }
    }

    @AfterEach
    void stop() {
        fleet.close();
        server.close();
    }

    private CloudMw connect() {
        return CloudMw.connect(CloudMwOptions.of(fleet.coordinatorAddress()));
    }

    private void delete(StoreId bucket) throws Exception {
        Path there = directory.resolve("server").resolve(bucket.value());
        try (Stream<Path> files = Files.walk(there)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static boolean isMissing(CloudMw client) {
        return client.stores().list().join().stream()
                .filter(status -> status.store().id().equals(GONE))
                .anyMatch(status -> status.reach()
                        .fault()
                        .filter(fault -> fault.kind() == StoreFault.Kind.MISSING)
                        .isPresent());
    }

    /**
     * Regression test: the put failed at the first chunk placed in the missing bucket, although three healthy buckets
     * remained.
     */
    @Test
    void putUsesTheOtherStoresWhenABucketIsMissingAndTheStatusShowsIt() throws Exception {
        byte[] bytes = new byte[CHUNK * CHUNKS];
        new SplittableRandom(1).nextBytes(bytes);
        Path source = Files.write(directory.resolve("source"), bytes);
        Path back = directory.resolve("back");
        try (CloudMw client = connect()) {
            FilePath file = new FilePath(new VolumeName("v"), "/f");
            delete(GONE);
            client.files().put(source, file, PutOptions.defaults()).join();
            Awaitility.await().atMost(LONG).until(() -> isMissing(client));
            client.files().get(file, back, GetOptions.defaults()).join();
            assertThat(back).hasSameBinaryContentAs(source);
        }
    }

    /** Regression test: the list of stores kept showing "available". */
    @Test
    void storeListShowsTheResultOfTheCheck() throws Exception {
        delete(GONE);
        CommandLine.Result checked = new CommandLine(fleet.coordinatorAddress()).run("store", "check", GONE.value());
        assertThat(checked.out()).contains("missing");
        try (CloudMw client = connect()) {
            Awaitility.await().atMost(LONG).until(() -> isMissing(client));
        }
    }
}
