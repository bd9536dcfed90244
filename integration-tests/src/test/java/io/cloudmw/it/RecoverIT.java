package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
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
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A coordinator loses its catalog, on real processes: what was backed up is there again, from the disks alone. */
final class RecoverIT {
    private static final long MIB = 1 << 20;
    private static final int FILES = 300;
    private static final Map<String, String> HURRIED = Map.of(
            "coordinator.heartbeat-interval", "200ms",
            "coordinator.helper-ttl", "1s",
            "coordinator.repair-interval", "200ms",
            "coordinator.repair-after", "2s",
            "coordinator.owed-after", "2s");

    @TempDir
    private Path directory;

    private static Path tree(Path directory) throws IOException {
        Path tree = Files.createDirectory(directory.resolve("tree"));
        for (int i = 0; i < FILES; i++) {
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

    private JsonNode recover(CommandLine command, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("recover", "v", "--json"));
        arguments.addAll(List.of("--from", "disk-2=" + directory.resolve("disk-2")));
        arguments.addAll(List.of("--data-dir", directory.resolve("coordinator").toString()));
        arguments.addAll(List.of(more));
        return command.run(arguments.toArray(String[]::new)).orThrow().json();
    }

    @Test
    void aVolumeIsThereAgainAfterItsCatalogIsLost() throws Exception {
        Path tree = tree(directory);
        try (Fleet fleet = new Fleet(directory, Map.of(), HURRIED)) {
            for (int i = 1; i <= 4; i++) {
                fleet.startDiskHelper(i, "");
            }
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2, 3, 4));
            CommandLine command = new CommandLine(fleet.coordinatorAddress());
            command.run("put", "-r", tree.toString(), "v:/tree").orThrow();
            Path large = fleet.file("large", 10 * MIB + 7);
            FilePath largeFile = new FilePath(volume, "/large");
            fleet.put(large, largeFile);
            command.run("attr", "v:/large", "who=me").orThrow();

            // Some chunks are elsewhere than their manifests say.
            fleet.helper(1).kill();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> fleet.client().status().join().repair().copied() > 0
                            && fleet.client()
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
            JsonNode older = recover(command, "--dry-run");
            assertThat(older.path("backup").asInt()).isEqualTo(1);
            assertThat(older.path("refused").toString()).contains("SHA-256");
            assertThat(directory.resolve("coordinator").resolve("catalog.db")).doesNotExist();
            for (Path root : newest) {
                flip(root);
            }

            JsonNode recovered = recover(command, "--verify");
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
            assertThat(fleet.client().stat(largeFile).join().attributes().values())
                    .containsEntry("who", "me");
            assertThat(command.run("backup", "v", "--json")
                            .orThrow()
                            .json()
                            .path("whole")
                            .asBoolean())
                    .isTrue();
        }
    }
}
