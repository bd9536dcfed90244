package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.identity.BucketMarker;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.HelperStatus;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.s3.BucketServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of two servers with different keys, and of processes that may know only one of the keys. */
final class StoreAccessIT {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final int BYTES = 3 << 20;
    private static final int SILENT = 25;
    private static final int BACKLOG = 500;
    private static final StoreId A = new StoreId("store-a");
    private static final StoreId B = new StoreId("store-b");

    @TempDir
    private Path directory;

    private BucketServer first;
    private BucketServer second;
    private LocalFleet fleet;

    @BeforeEach
    void start() throws IOException {
        first = new BucketServer(directory.resolve("first"), InetAddress.getLoopbackAddress());
        second = new BucketServer(directory.resolve("second"), InetAddress.getLoopbackAddress());
        first.admit("key-a");
        second.admit("key-b");
        Files.createDirectory(directory.resolve("first").resolve("bucket"));
        Files.createDirectory(directory.resolve("second").resolve("bucket"));
        fleet = Fleet.withCredentials(
                directory.resolve("fleet"),
                Map.of("AWS_CONFIG_FILE", directory.resolve("no-config").toString()));
    }

    @AfterEach
    void stop() {
        fleet.close();
        first.close();
        second.close();
    }

    private void process(String name, String... keys) throws IOException {
        process(name, Map.of(), keys);
    }

    private void process(String name, Map<String, String> more, String... keys) throws IOException {
        StringBuilder profiles = new StringBuilder();
        for (String key : keys) {
            profiles.append("[" + key + "]\naws_access_key_id = " + key + "\naws_secret_access_key = secret\n");
        }
        Path file = Files.writeString(directory.resolve(name + "-credentials"), profiles);
        fleet.environment(name, Map.of("AWS_SHARED_CREDENTIALS_FILE", file.toString()));
        if (name.equals("coordinator")) {
            fleet.startCoordinator(Map.of(
                    "coordinator.store-check", "1s",
                    "coordinator.repair-interval", "500ms",
                    "coordinator.owed-after", "2s"));
        } else {
            Map<String, String> settings = new HashMap<>(more);
            settings.put("helper.store-check", "1s");
            fleet.startHelper(name, settings);
        }
    }

    private static Store store(StoreId id, BucketServer server, CredentialsReference reference) {
        return new Store(id, id.value(), new Store.S3("bucket", "us-east-1", server.endpoint(), true, "", reference));
    }

    private CloudMw connect() {
        return CloudMw.connect(CloudMwOptions.of(fleet.coordinatorAddress()));
    }

    private static FilePath volume(CloudMw client, int replicas, StoreId... stores) {
        VolumeName name = new VolumeName("v");
        client.volumes()
                .create(new Volume(
                        name, new Chunking.BySize(1 << 20), replicas, List.of(stores), replicas, Mode.ROUNDS, false, 0))
                .join();
        return new FilePath(name, "/f");
    }

    private Path source() throws IOException {
        byte[] bytes = new byte[BYTES];
        new SplittableRandom(1).nextBytes(bytes);
        return Files.write(directory.resolve("source"), bytes);
    }

    private void assertComesBack(CloudMw client, FilePath file, Path source) {
        Path back = directory.resolve("back");
        client.files().get(file, back, GetOptions.defaults()).join();
        assertThat(back).hasSameBinaryContentAs(source);
    }

    private void assertShows(FilePath file, Path source) throws Exception {
        Path shown = directory.resolve("shown");
        CommandLine.Result cat =
                new CommandLine(fleet.coordinatorAddress()).withOutputTo(shown).run("cat", file.toString());
        assertThat(cat.exitCode()).as(cat.toString()).isZero();
        assertThat(shown).hasSameBinaryContentAs(source);
    }

    private CommandLine.Result run(String... arguments) throws Exception {
        return new CommandLine(fleet.coordinatorAddress()).run(arguments);
    }

    /** Returns the number of objects, without the marker of a store without a prefix. */
    private static long objects(Path bucket) throws IOException {
        try (Stream<Path> files = Files.list(bucket)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith(".") && !name.equals(BucketMarker.NAME))
                    .count();
        }
    }

    @Test
    void volumeHasReplicasOnTwoServersWithDifferentKeys() throws Exception {
        process("coordinator", "key-a", "key-b");
        process("helper-1", "key-a", "key-b");
        for (Map.Entry<StoreId, String> store :
                Map.of(A, first.endpoint(), B, second.endpoint()).entrySet()) {
            String key = store.getKey().equals(A) ? "key-a" : "key-b";
            // On a busy machine the check may exceed its limit of five seconds, so it is repeated.
            Awaitility.await().atMost(LONG).untilAsserted(() -> {
                CommandLine.Result unused = run("store", "rm", store.getKey().value());
                CommandLine.Result added = run(
                        "store",
                        "add",
                        store.getKey().value(),
                        "s3://bucket",
                        "--endpoint",
                        store.getValue(),
                        "--path-style",
                        "--domain",
                        key,
                        "--profile",
                        key);
                assertThat(added.exitCode()).as(added.toString()).isZero();
                assertThat(added.out())
                        .containsPattern("coordinator \\(latency [0-9.]+ ms, store's clock ([+-][0-9.]+|0) s\\)")
                        .containsPattern("helper helper-1 \\(latency [0-9.]+ ms, store's clock ([+-][0-9.]+|0) s\\)");
            });
        }
        CommandLine.Result wrong = run(
                "store",
                "add",
                "wrong",
                "s3://bucket/p",
                "--endpoint",
                second.endpoint(),
                "--path-style",
                "--profile",
                "key-a");
        assertThat(wrong.exitCode()).isEqualTo(8);
        assertThat(wrong.err()).contains("does not know the access key of profile key-a");
        assertThat(objects(directory.resolve("first").resolve("bucket")))
                .as("left by checks")
                .isZero();
        Awaitility.await().atMost(LONG).untilAsserted(() -> {
            CommandLine.Result checked = run("store", "check", "--json");
            assertThat(checked.exitCode()).isZero();
            assertThat(checked.json().path("checks"))
                    .hasSize(4)
                    .allSatisfy(
                            check -> assertThat(check.path("ok").asBoolean()).isTrue());
        });
        try (CloudMw client = connect()) {
            FilePath file = volume(client, 2, A, B);
            Path source = source();
            client.files().put(source, file, PutOptions.defaults()).join();
            assertThat(objects(directory.resolve("first").resolve("bucket"))).isEqualTo(3);
            assertThat(objects(directory.resolve("second").resolve("bucket"))).isEqualTo(3);
            assertComesBack(client, file, source);
        }
    }

    @Test
    void processWithoutCredentialsReportsItWhileOthersReadAndWrite() throws Exception {
        process("coordinator");
        process("helper-1");
        process("helper-2", "key-a");
        process("helper-3");
        try (CloudMw client = connect()) {
            client.stores()
                    .add(store(A, first, new CredentialsReference.Profile("key-a")), false)
                    .join();
            Awaitility.await().atMost(LONG).until(() -> shutOut(client).size() == 3);
            assertThat(shutOut(client)).containsExactlyInAnyOrder("coordinator", "helper helper-1", "helper helper-3");
            assertThat(client.stores().list().join())
                    .allSatisfy(status -> assertThat(status.available()).isTrue());
            assertThat(fleet.log("helper-1"))
                    .content()
                    .contains("store=store-a cannot be used from here (profile key-a)");
            FilePath file = volume(client, 1, A);
            Path source = source();
            client.files().put(source, file, PutOptions.defaults()).join();
            assertComesBack(client, file, source);
            CommandLine.Result status = run("status");
            assertThat(status.out()).contains("shut out: helper helper-3 cannot use store store-a (profile key-a)");
            assertThat(run("store", "check", "store-a").exitCode()).isEqualTo(8);
        }
    }

    /** Regression test: repair planned the copies again and again, and no message told why none was made. */
    @Test
    void copyThatNoHelperCanMakeIsReportedAndMadeOnceOneCan() throws Exception {
        process("coordinator", "key-a", "key-b");
        process("helper-1", "key-a");
        process("helper-2", "key-b");
        Path atFirst = directory.resolve("first").resolve("bucket");
        Path atSecond = directory.resolve("second").resolve("bucket");
        try (CloudMw client = connect()) {
            client.stores()
                    .add(store(A, first, new CredentialsReference.Profile("key-a")), false)
                    .join();
            client.stores()
                    .add(store(B, second, new CredentialsReference.Profile("key-b")), false)
                    .join();
            FilePath file = volume(client, 1, A);
            Path source = source();
            client.files().put(source, file, PutOptions.defaults()).join();
            run("volume", "set", "v", "--add-store", B.value(), "--replicas", "2")
                    .orThrow();
            Awaitility.await().atMost(LONG).until(() -> run("status").out().contains("3 cannot be copied: no helper"));
            assertThat(run("status").out()).contains("chunks wait for a helper that can use store-");
            assertThat(run("status", "--json").json().path("repair").path("awaited_helpers"))
                    .isNotEmpty();
            assertThat(fleet.log("coordinator")).content().contains("chunks wait for a helper that can use store-");
            assertThat(objects(atFirst) + objects(atSecond)).isEqualTo(3);

            process("helper-3", "key-a", "key-b");
            Awaitility.await().atMost(LONG).until(() -> objects(atFirst) == 3 && objects(atSecond) == 3);
            Awaitility.await().atMost(LONG).until(() -> run("status").out().contains("under-replicated chunks: 0"));
            assertComesBack(client, file, source);
        }
    }

    @Test
    void aCoordinatorWithoutCredentialsServesReadsInEveryModeThroughTheHelperThatHasThem() throws Exception {
        process("coordinator");
        process("helper-1");
        process("helper-2", "key-a");
        try (CloudMw client = connect()) {
            client.stores()
                    .add(store(A, first, new CredentialsReference.Profile("key-a")), false)
                    .join();
            Awaitility.await().atMost(LONG).until(() -> shutOut(client).size() == 2);
            FilePath file = volume(client, 1, A);
            Path source = source();
            assertThat(run("put", source.toString(), file.toString()).exitCode())
                    .isZero();
            for (Mode mode : Mode.values()) {
                Path back = directory.resolve("back-" + mode);
                CommandLine.Result got = run("get", file.toString(), back.toString(), "--mode", mode.label());
                assertThat(got.exitCode()).as(got.toString()).isZero();
                assertThat(back).hasSameBinaryContentAs(source);
            }
            assertShows(file, source);
        }
    }

    /** Nothing listens on the bulk port that the helper advertises, so the client must read the bucket itself. */
    @Test
    void aHelperSignsForACoordinatorThatLacksCredentials() throws Exception {
        process("coordinator");
        process("helper-1", "key-a");
        try (CloudMw client = connect()) {
            client.stores()
                    .add(store(A, first, new CredentialsReference.Profile("key-a")), false)
                    .join();
            FilePath file = volume(client, 1, A);
            Path source = source();
            client.files().put(source, file, PutOptions.defaults()).join();
            fleet.process("helper-1").close();
            process("helper-2", Map.of("helper.bulk.advertise-port", closedPort()), "key-a");
            awaitLive(client, "helper-2");

            Path back = directory.resolve("back");
            CommandLine.Result got = run("get", file.toString(), back.toString(), "--json");
            assertThat(got.exitCode()).as(got.toString()).isZero();
            assertThat(back).hasSameBinaryContentAs(source);
            assertShows(file, source);
        }
    }

    @Test
    void readThatNobodyCanSignNamesTheStoreAndTheMissingCredentials() throws Exception {
        process("coordinator");
        process("helper-1", "key-a");
        try (CloudMw client = connect()) {
            client.stores()
                    .add(store(A, first, new CredentialsReference.Profile("key-a")), false)
                    .join();
            FilePath file = volume(client, 1, A);
            client.files().put(source(), file, PutOptions.defaults()).join();
            fleet.process("helper-1").close();
            process("helper-2");
            awaitLive(client, "helper-2");
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> shutOut(client).containsAll(List.of("coordinator", "helper helper-2")));

            CommandLine.Result got =
                    run("get", file.toString(), directory.resolve("back").toString());

            assertThat(got.exitCode()).as(got.toString()).isEqualTo(8);
            assertThat(got.err())
                    .contains("could sign a URL for store store-a", "profile key-a")
                    .contains("coordinator: ", "helper helper-2: ")
                    .contains("cloudmw store check store-a");
        }
    }

    @Test
    void putReachesTwoStoresWhenNoHelperCanUseBoth() throws Exception {
        process("coordinator");
        process("helper-1", "key-a");
        process("helper-2", "key-b");
        try (CloudMw client = connect()) {
            client.stores()
                    .add(store(A, first, new CredentialsReference.Profile("key-a")), false)
                    .join();
            client.stores()
                    .add(store(B, second, new CredentialsReference.Profile("key-b")), false)
                    .join();
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> client.stores().list().join().stream()
                            .allMatch(status -> status.reach().shutOut().size() == 2));
            FilePath file = volume(client, 2, A, B);
            Path source = source();

            CommandLine.Result put = run("put", source.toString(), file.toString());

            assertThat(put.exitCode()).as(put.toString()).isZero();
            assertThat(objects(directory.resolve("first").resolve("bucket"))).isEqualTo(3);
            assertThat(objects(directory.resolve("second").resolve("bucket"))).isEqualTo(3);
            assertThat(client.files().stat(file).join().underReplicatedChunks()).isZero();
            assertComesBack(client, file, source);
        }
    }

    /** Returns a port that is free and that no part of this test listens on. */
    private static String closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return String.valueOf(socket.getLocalPort());
        }
    }

    /** Waits until this helper is the only live one. */
    private void awaitLive(CloudMw client, String helper) {
        Awaitility.await()
                .atMost(LONG)
                .until(() -> client.cluster().helpers().join().stream()
                        .filter(HelperStatus::alive)
                        .map(status -> status.helper().id().value())
                        .toList()
                        .equals(List.of(helper)));
    }

    @Test
    void deniedOrMissingStoreIsReportedAndRecoversByItself() throws Exception {
        process("coordinator");
        process("helper-1");
        Path keys = directory.resolve("keys");
        Files.writeString(keys, "accessKey=key-old\nsecretKey=secret\n");
        try (CloudMw client = connect()) {
            client.stores()
                    .add(store(A, first, new CredentialsReference.KeyFile(keys)), false)
                    .join();
            awaitCondition("denied");
            Files.writeString(keys, "accessKey=key-a\nsecretKey=secret\n");
            awaitCondition("");
            FilePath file = volume(client, 1, A);
            Path source = source();
            client.files().put(source, file, PutOptions.defaults()).join();
            Path bucket = directory.resolve("first").resolve("bucket");
            Path moved = Files.move(bucket, bucket.resolveSibling("moved"));
            awaitCondition("missing");
            Files.move(moved, bucket);
            awaitCondition("");
            assertComesBack(client, file, source);
            first.close();
            awaitCondition("unreachable");
            assertThat(run("store", "ls").out()).contains("unreachable since 2");
        }
    }

    /**
     * The command must check several buckets at once, and not all of them in one call: otherwise the checks would exceed
     * the time limit of a call.
     */
    @Test
    void manySilentBucketsAreCheckedAndReported() throws Exception {
        process("coordinator");
        process("helper-1");
        Path keys = Files.writeString(directory.resolve("keys"), "accessKey=key-a\nsecretKey=secret\n");
        URI endpoint = URI.create(first.endpoint());
        try (CloudMw client = connect()) {
            for (int i = 0; i < SILENT; i++) {
                Store.S3 bucket = new Store.S3(
                        "bucket",
                        "us-east-1",
                        first.endpoint(),
                        true,
                        "prefix-" + i + "/",
                        new CredentialsReference.KeyFile(keys));
                client.stores()
                        .add(new Store(new StoreId("store-" + i), "domain", bucket), false)
                        .join();
            }
        }
        first.close();
        // The kernel accepts connections, but no process answers.
        try (ServerSocket silent =
                new ServerSocket(endpoint.getPort(), BACKLOG, InetAddress.getByName(endpoint.getHost()))) {
            CommandLine.Result checked = run("store", "check", "--json");
            assertThat(silent.isBound()).isTrue();
            assertThat(checked.exitCode()).as(checked.err()).isEqualTo(5);
            Set<String> stores = new HashSet<>();
            for (JsonNode check : checked.json().path("checks")) {
                assertThat(check.path("condition").asText()).isEqualTo("unreachable");
                stores.add(check.path("store").asText());
            }
            assertThat(stores).as(checked.err()).hasSize(SILENT);
        }
    }

    private void awaitCondition(String condition) {
        Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(500)).until(() -> {
            JsonNode row =
                    run("store", "ls", "--json").orThrow().json().path("stores").get(0);
            return row.path("condition").asText().equals(condition);
        });
    }

    private static List<String> shutOut(CloudMw client) {
        List<StoreStatus> stores = client.stores().list().join();
        return List.copyOf(stores.get(0).reach().shutOut().keySet());
    }
}
