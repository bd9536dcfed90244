package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/** Tests of buckets that are emptied, or that belong to another cluster, on processes. */
@ExtendWith(LocalStackExtension.class)
final class ReplacedBucketIT {
    private static final long MIB = 1 << 20;
    private static final int FILES = 10;
    private static final String MARKER = "cloudmw-store.json";

    /** Settings for frequent checks and repair of buckets. */
    private static final Map<String, String> OFTEN =
            Map.of("coordinator.store-check", "1s", "coordinator.repair-interval", "500ms");

    @TempDir
    private Path directory;

    private static ConditionFactory within() {
        return Awaitility.await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofMillis(500));
    }

    private static String bucket(int number) {
        return "it-" + UUID.randomUUID().toString().substring(0, 8) + "-" + number;
    }

    private static List<String> keys(S3Client s3, String bucket) {
        return s3.listObjectsV2Paginator(request -> request.bucket(bucket)).contents().stream()
                .map(object -> object.key())
                .toList();
    }

    private static void empty(S3Client s3, String bucket) {
        for (String key : keys(s3, bucket)) {
            s3.deleteObject(request -> request.bucket(bucket).key(key));
        }
    }

    private static JsonNode store(CommandLine command, String id) throws IOException {
        for (JsonNode store :
                command.run("store", "ls", "--json").orThrow().json().path("stores")) {
            if (store.path("id").asText().equals(id)) {
                return store;
            }
        }
        throw new AssertionError("no store " + id);
    }

    @Test
    void emptiedBucketIsRefusedUntilTheOperatorAcceptsIt(LocalStack localStack) throws Exception {
        List<String> buckets = List.of(bucket(1), bucket(2), bucket(3));
        String emptied = buckets.get(0);
        try (Fleet fleet = Fleet.hostedOnBuckets(localStack, directory, OFTEN);
                S3Client s3 = localStack.s3("us-east-1")) {
            StoreId[] stores = new StoreId[buckets.size()];
            for (int i = 0; i < stores.length; i++) {
                stores[i] = fleet.bucket(
                        buckets.get(i), "us-east-1", localStack.endpoint().toString());
            }
            assertThat(keys(s3, emptied)).containsExactly(MARKER);
            fleet.startHelpers(1, 1, i -> Map.of("helper.store-check", "1s"));
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 2, stores);
            Path source = fleet.file("source", MIB + 7);
            List<FilePath> files = new ArrayList<>();
            for (int i = 0; i < FILES; i++) {
                FilePath file = new FilePath(volume, "/f" + i);
                fleet.put(source, file);
                files.add(file);
            }
            long had = keys(s3, emptied).size() - 1L;
            assertThat(had).isPositive();

            empty(s3, emptied);
            CommandLine command = new CommandLine(fleet.coordinatorAddress());
            within().until(() ->
                    store(command, emptied).path("mismatch").asText().contains("no marker"));
            // The status shows the stores as the last repair round saw them.
            within().untilAsserted(() ->
                    assertThat(command.run("status").orThrow().out()).contains("store replace " + emptied));
            FilePath late = new FilePath(volume, "/late");
            fleet.put(source, late);
            files.add(late);
            assertThat(keys(s3, emptied)).as("nothing new goes there").isEmpty();
            for (FilePath file : files) {
                fleet.get(file, fleet.target("back"));
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            }
            assertThat(fleet.client().cluster().status().join().repair().copied())
                    .as("nothing is made anew before the operator's word")
                    .isZero();

            command.run("store", "replace", emptied).orThrow();
            within().until(() -> command.run("status", "--json")
                    .orThrow()
                    .json()
                    .path("repair")
                    .path("replaced")
                    .path(emptied)
                    .path("complete")
                    .asBoolean());
            assertThat(fleet.client().cluster().status().join().repair().copied())
                    .isGreaterThanOrEqualTo(had);
            assertThat(keys(s3, emptied)).contains(MARKER);
            assertThat(store(command, emptied).has("mismatch")).isFalse();
            empty(s3, buckets.get(1));
            for (FilePath file : files) {
                fleet.get(file, fleet.target("back"));
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            }
        }
    }

    @Test
    void theBucketOfAnotherClusterIsRefused(LocalStack localStack) throws Exception {
        String bucket = bucket(1);
        Path first = Files.createDirectory(directory.resolve("first"));
        Path second = Files.createDirectory(directory.resolve("second"));
        try (Fleet one = Fleet.hostedOnBuckets(localStack, first, OFTEN);
                Fleet other = Fleet.hostedOnBuckets(localStack, second, Map.of())) {
            one.bucket(bucket, "us-east-1", localStack.endpoint().toString());
            List<String> add = List.of(
                    "store",
                    "add",
                    bucket,
                    "s3://" + bucket,
                    "--path-style",
                    "--endpoint",
                    localStack.endpoint().toString());
            CommandLine command = new CommandLine(other.coordinatorAddress());
            CommandLine.Result refused = command.run(add.toArray(String[]::new));
            assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(8);
            assertThat(refused.err()).contains("of cluster", "--replace");
            List<String> taking = new ArrayList<>(add);
            taking.add("--replace");
            command.run(taking.toArray(String[]::new)).orThrow();
            within().until(() ->
                    store(new CommandLine(one.coordinatorAddress()), bucket).has("mismatch"));
        }
    }
}
