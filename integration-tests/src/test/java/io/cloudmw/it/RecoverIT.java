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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/** Tests of a lost catalog on processes: recovery restores the backed-up files from the stores alone. */
@ExtendWith(LocalStackExtension.class)
final class RecoverIT {
    private static final long MIB = 1 << 20;
    private static final int FILES = 300;
    private static final Map<String, String> HURRIED = Map.of(
            "coordinator.heartbeat-interval", "200ms",
            "coordinator.helper-ttl", "5s",
            "coordinator.repair-interval", "200ms",
            "coordinator.repair-after", "5s",
            "coordinator.owed-after", "2s");

    @TempDir
    private Path directory;

    private static Path tree(Path directory, int count) throws IOException {
        Path tree = Files.createDirectory(directory.resolve("tree"));
        for (int i = 0; i < count; i++) {
            Path file = tree.resolve("d" + i % 7).resolve("f" + i);
            Files.createDirectories(tree.resolve("d" + i % 7));
            Files.writeString(file, ("file " + i + "\n").repeat(i));
        }
        return tree;
    }

    private static List<Path> files(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(Files::isRegularFile)
                    .map(tree::relativize)
                    .sorted()
                    .toList();
        }
    }

    private static void same(Path tree, Path back) throws IOException {
        assertThat(files(back)).isEqualTo(files(tree));
        for (Path file : files(tree)) {
            assertThat(back.resolve(file)).hasSameBinaryContentAs(tree.resolve(file));
        }
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static Set<Path> roots(Fleet fleet, int... disks) throws IOException {
        Set<Path> roots = new TreeSet<>();
        for (int disk : disks) {
            try (Stream<Path> files = Files.walk(fleet.disk(disk))) {
                files.filter(file -> file.getFileName().toString().matches("0{13}[0-9a-f]{19}-[0-9a-f]{8}"))
                        .forEach(roots::add);
            }
        }
        return roots;
    }

    private static void flip(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }

    /** Recovers from the named disks; a backup root found on one of them names the others. */
    private JsonNode recover(CommandLine command, List<String> disks, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("recover", "v", "--json"));
        disks.forEach(disk -> arguments.addAll(List.of("--from", disk + "=" + directory.resolve(disk))));
        arguments.addAll(List.of("--data-dir", directory.resolve("coordinator").toString()));
        arguments.addAll(List.of(more));
        CommandLine.Result result =
                command.run(arguments.toArray(String[]::new)).orThrow();
        assertThat(result.err())
                .as("progress")
                .containsPattern("[0-9,]+ of [0-9,]+ files, [^,\\n]+ of [^,\\n]+, located");
        return result.json();
    }

    @Test
    void volumeIsRecoveredAfterItsCatalogIsLost() throws Exception {
        Path tree = tree(directory, FILES);
        try (Fleet fleet = Fleet.hosted(directory, HURRIED, "coordinator", "helper-1")) {
            fleet.startDiskHelpers(4, "");
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2, 3, 4));
            CommandLine command = new CommandLine(fleet.coordinatorAddress());
            command.run("put", "-r", tree.toString(), "v:/tree").orThrow();
            Path large = fleet.file("large", 10 * MIB + 7);
            FilePath largeFile = new FilePath(volume, "/large");
            fleet.put(large, largeFile);
            command.run("attr", "v:/large", "who=me").orThrow();

            // Some chunks are on other disks than their manifests say.
            fleet.helper(1).kill();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() ->
                            fleet.client().cluster().status().join().repair().copied() > 0
                                    && fleet.client()
                                            .cluster()
                                            .status()
                                            .join()
                                            .repair()
                                            .underReplicated()
                                            .isEmpty());

            JsonNode first = command.run("backup", "v", "--json").orThrow().json();
            assertThat(first.path("exported_files").asInt()).isEqualTo(FILES + 1);
            assertThat(command.run("backup", "v", "--json")
                            .orThrow()
                            .json()
                            .path("unchanged")
                            .asBoolean())
                    .isTrue();
            Set<Path> roots = roots(fleet, 2, 3, 4);
            command.run("mv", "v:/tree/d1", "v:/tree/other").orThrow();
            JsonNode second = command.run("backup", "v", "--json").orThrow().json();
            assertThat(second.path("whole").asBoolean()).isFalse();
            assertThat(second.path("exported_files").asInt()).isLessThan(FILES / 2);
            JsonNode listed =
                    command.run("backup", "ls", "v", "--json").orThrow().json();
            assertThat(listed.path("backups")).hasSize(2);
            Files.move(tree.resolve("d1"), tree.resolve("other"));

            fleet.coordinator().kill();
            delete(directory.resolve("coordinator"));
            Set<Path> newest = roots(fleet, 2, 3, 4);
            newest.removeAll(roots);
            for (Path root : newest) {
                flip(root);
            }
            // No single disk must have copies of both backup roots.
            JsonNode older = recover(command, List.of("disk-2", "disk-3", "disk-4"), "--dry-run");
            assertThat(older.path("backup").asInt()).isEqualTo(1);
            assertThat(older.path("refused").toString()).contains("SHA-256");
            assertThat(directory.resolve("coordinator").resolve("catalog.db")).doesNotExist();
            for (Path root : newest) {
                flip(root);
            }

            String disk =
                    directory.relativize(newest.iterator().next()).getName(0).toString();
            JsonNode recovered = recover(command, List.of(disk), "--verify");
            assertThat(recovered.path("backup").asInt()).isEqualTo(2);
            assertThat(recovered.path("files").asInt()).isEqualTo(FILES + 1);
            assertThat(recovered.path("lost_files").asInt()).isZero();
            assertThat(recovered.path("unseen_files").asInt()).isZero();
            assertThat(recovered.path("copies_moved").asInt()).isPositive();

            fleet.restart("coordinator");
            command.run("get", "-r", "v:/tree", directory.resolve("back").toString())
                    .orThrow();
            same(tree, directory.resolve("back"));
            fleet.get(largeFile, fleet.target("large"));
            assertThat(fleet.target("large")).hasSameBinaryContentAs(large);
            assertThat(fleet.client()
                            .files()
                            .stat(largeFile)
                            .join()
                            .attributes()
                            .values())
                    .containsEntry("who", "me");
            assertThat(command.run("backup", "v", "--json")
                            .orThrow()
                            .json()
                            .path("whole")
                            .asBoolean())
                    .isTrue();
        }
    }

    /** All machines are lost, with the catalog, the cluster's secret and spooled files, and one of three buckets. */
    @Test
    void volumeIsRecoveredFromBucketsAlone(LocalStack localStack) throws Exception {
        Path tree = tree(directory, 40);
        List<String> buckets = List.of(bucket(1), bucket(2), bucket(3));
        Path large;
        try (Fleet fleet = Fleet.hostedOnBuckets(localStack, directory.resolve("lost"), Map.of())) {
            StoreId[] stores = new StoreId[buckets.size()];
            for (int i = 0; i < stores.length; i++) {
                stores[i] = fleet.bucket(
                        buckets.get(i), "us-east-1", localStack.endpoint().toString());
            }
            fleet.startHelpers(1, stores.length, i -> Map.of());
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 2, stores);
            CommandLine command = new CommandLine(fleet.coordinatorAddress());
            command.run("put", "-r", tree.toString(), "v:/tree").orThrow();
            large = Files.move(fleet.file("large", 3 * MIB + 7), directory.resolve("large"));
            fleet.put(large, new FilePath(volume, "/large"));
            command.run("attr", "v:/large", "who=me").orThrow();
            command.run("backup", "v").orThrow();
        }
        delete(directory.resolve("lost"));
        try (S3Client s3 = localStack.s3("us-east-1")) {
            s3.listObjectsV2Paginator(request -> request.bucket(buckets.get(0))).contents().stream()
                    .forEach(object -> s3.deleteObject(
                            request -> request.bucket(buckets.get(0)).key(object.key())));
        }

        Path cluster = directory.resolve("new");
        List<String> arguments = new ArrayList<>(List.of("recover", "v", "--json", "--verify"));
        for (String bucket : buckets.subList(1, 3)) {
            String store = bucket + "=s3://" + bucket + ",path-style,endpoint=" + localStack.endpoint();
            arguments.addAll(List.of("--from", store));
        }
        arguments.addAll(List.of("--data-dir", cluster.resolve("coordinator").toString()));
        JsonNode recovered = new CommandLine("nowhere:1")
                .with(localStack.environment())
                .run(arguments.toArray(String[]::new))
                .orThrow()
                .json();
        assertThat(recovered.path("files").asInt()).isEqualTo(41);
        assertThat(recovered.path("lost_files").asInt()).isZero();
        assertThat(recovered.path("copies_missing").asInt())
                .as("copies in the bucket that is empty")
                .isPositive();
        try (Fleet fleet = Fleet.hostedOnBuckets(localStack, cluster, Map.of())) {
            fleet.startHelper(1, Map.of());
            Path back = directory.resolve("back");
            new CommandLine(fleet.coordinatorAddress())
                    .run("get", "-r", "v:/tree", back.toString())
                    .orThrow();
            same(tree, back);
            FilePath file = new FilePath(new VolumeName("v"), "/large");
            fleet.get(file, fleet.target("large"));
            assertThat(fleet.target("large")).hasSameBinaryContentAs(large);
            assertThat(fleet.client().files().stat(file).join().attributes().values())
                    .containsEntry("who", "me");
        }
    }

    private static String bucket(int number) {
        return "it-" + UUID.randomUUID().toString().substring(0, 8) + "-" + number;
    }
}
