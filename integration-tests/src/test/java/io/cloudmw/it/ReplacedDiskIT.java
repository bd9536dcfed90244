package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.status.ReplacedProgress;
import io.cloudmw.core.status.StoreStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of disks that are lost, not mounted, or of another cluster, on processes. */
final class ReplacedDiskIT {
    private static final long MIB = 1 << 20;
    private static final int FILES = 40;
    private static final StoreId DISK = new StoreId("disk-1");

    /** Settings that keep scrubbing and long absences from finding lost copies. */
    private static final Map<String, String> PATIENT = Map.of(
            "coordinator.heartbeat-interval", "200ms",
            "coordinator.helper-ttl", "8s",
            "coordinator.repair-after", "1h",
            "coordinator.owed-after", "2s",
            "coordinator.scrub-every", "30d");

    @TempDir
    private Path directory;

    private static ConditionFactory within() {
        return Awaitility.await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(100));
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static long chunks(Path disk) throws IOException {
        try (Stream<Path> files = Files.walk(disk)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9a-f]{32}-[0-9a-f]{8}"))
                    .count();
        }
    }

    private List<FilePath> written(Fleet fleet, VolumeName volume, Path source) {
        List<FilePath> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            FilePath file = new FilePath(volume, "/f" + i);
            fleet.put(source, file);
            files.add(file);
        }
        return files;
    }

    private static void allAreThere(Fleet fleet, List<FilePath> files, Path source) {
        for (FilePath file : files) {
            fleet.get(file, fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    private String refusal(Fleet fleet, String... more) throws IOException {
        Path log = directory.resolve("refused.log");
        List<String> command = new ArrayList<>(List.of(
                CommandLine.LAUNCHER.toString(),
                "helper",
                "--id",
                "helper-1",
                "--coordinator",
                fleet.coordinatorAddress(),
                "--disk",
                DISK + "=" + fleet.disk(1),
                "--secret-file",
                directory.resolve("cluster.secret").toString(),
                "-D",
                "helper.spool.dir=" + directory.resolve("refused-spool")));
        command.addAll(List.of(more));
        Process helper = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            within().until(() -> !helper.isAlive());
            assertThat(helper.exitValue()).as(Files.readString(log)).isEqualTo(7);
            return Files.readString(log);
        } finally {
            helper.destroyForcibly();
        }
    }

    private static boolean isAvailable(Fleet fleet) {
        return fleet.stores().stream()
                .filter(status -> status.store().id().equals(DISK))
                .anyMatch(StoreStatus::available);
    }

    private static ReplacedProgress replaced(Fleet fleet) {
        return fleet.client()
                .cluster()
                .status()
                .join()
                .repair()
                .replaced()
                .getOrDefault(DISK, new ReplacedProgress(0, 0, 0, 0, false, false));
    }

    /**
     * Regression test: the helper registered with its empty disk, and the status showed no under-replicated chunk. When
     * the other helper died, files were lost.
     */
    @Test
    void emptyDiskIsRefusedAndAReplacedOneGetsAllItsCopiesAgain() throws Exception {
        try (Fleet fleet = Fleet.hosted(directory, PATIENT, "helper-1", "helper-2")) {
            fleet.startDiskHelpers(2, "");
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2));
            Path source = fleet.file("source", MIB + 7);
            List<FilePath> files = written(fleet, volume, source);
            long had = chunks(fleet.disk(1));
            assertThat(had).isEqualTo(2 * FILES);

            fleet.helper(1).kill();
            delete(fleet.disk(1));
            assertThat(refusal(fleet))
                    .contains("disk disk-1", fleet.disk(1).toString(), "not mounted?", "--replace-disk disk-1");
            assertThat(isAvailable(fleet)).isFalse();

            fleet.restart("helper-1", List.of("--replace-disk", "disk-1"));
            FilePath late = new FilePath(volume, "/late");
            fleet.put(source, late);
            CommandLine command = new CommandLine(fleet.coordinatorAddress());
            within().until(() -> {
                JsonNode status = command.run("status", "--json").orThrow().json();
                if (!status.path("repair").path("replaced").has("disk-1")) {
                    return false; // The status is still that of upkeep's previous look.
                }
                boolean complete = status.path("repair")
                        .path("replaced")
                        .path("disk-1")
                        .path("complete")
                        .asBoolean();
                assertThat(complete
                                || status.path("repair")
                                                .path("under_replicated")
                                                .asLong()
                                        > 0)
                        .as("never 0 before all is made anew: %s", status)
                        .isTrue();
                return complete;
            });
            assertThat(replaced(fleet).missing()).isEqualTo(had);
            assertThat(chunks(fleet.disk(1))).isEqualTo(had + 2);
            assertThat(command.run("status").orThrow().out()).contains("under-replicated chunks: 0");

            fleet.helper(2).kill();
            files.add(late);
            allAreThere(fleet, files, source);
        }
    }

    /** The option is for one start: the next start needs no option and replaces nothing. */
    @Test
    void replacedDiskIsAcceptedAtTheNextStartAndTheFormerOneRefused() throws Exception {
        try (Fleet fleet = Fleet.hosted(directory, PATIENT, "helper-1", "helper-2")) {
            fleet.startDiskHelpers(2, "");
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2));
            Path source = fleet.file("source", MIB + 7);
            List<FilePath> files = written(fleet, volume, source);
            fleet.helper(1).kill();
            Path former = directory.resolve("former");
            Files.move(fleet.disk(1), former);
            fleet.restart("helper-1", List.of("--replace-disk", "disk-1"));
            within().until(() -> replaced(fleet).complete());
            long at = replaced(fleet).replacedAtMillis();
            fleet.restart("helper-1", List.of("--replace-disk", "disk-1"));
            within().until(() -> isAvailable(fleet));
            fleet.restart("helper-1");
            within().until(() -> isAvailable(fleet));
            assertThat(replaced(fleet).replacedAtMillis()).isEqualTo(at);

            fleet.helper(1).kill();
            delete(fleet.disk(1));
            Files.move(former, fleet.disk(1));
            assertThat(refusal(fleet)).contains("another disk", "--replace-disk disk-1");
            fleet.restart("helper-1", List.of("--replace-disk", "disk-1"));
            within().until(() -> replaced(fleet).complete() && replaced(fleet).replacedAtMillis() > at);
            assertThat(replaced(fleet).missing())
                    .as("what the former disk still has is not lost")
                    .isZero();
            fleet.helper(2).kill();
            allAreThere(fleet, files, source);
        }
    }

    @Test
    void diskOfAnotherClusterIsRefusedWithEveryOption() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        try (Fleet other = Fleet.hosted(elsewhere, PATIENT)) {
            other.startDiskHelpers(1, "");
        }
        try (Fleet fleet = Fleet.hosted(directory, PATIENT, "helper-1")) {
            Files.move(elsewhere.resolve("disk-1"), fleet.disk(1));
            assertThat(refusal(fleet)).contains("a disk of cluster", "cloudmw recover");
            delete(fleet.disk(1));
            fleet.startDiskHelpers(1, "");
            fleet.helper(1).kill();
            delete(fleet.disk(1));
            try (Fleet other = Fleet.hosted(Files.createDirectory(directory.resolve("third")), PATIENT)) {
                other.startDiskHelpers(1, "");
            }
            Files.move(directory.resolve("third").resolve("disk-1"), fleet.disk(1));
            assertThat(refusal(fleet, "--replace-disk", "disk-1")).contains("a disk of cluster", "empty the directory");
        }
    }

    /** A helper may start while the coordinator is down, and learns of the refusal once it returns. */
    @Test
    void aHelperThatWaitedForItsCoordinatorEndsWhenItsDiskIsRefused() throws Exception {
        try (Fleet fleet = Fleet.hosted(directory, PATIENT, "coordinator", "helper-1")) {
            fleet.startDiskHelpers(1, "");
            fleet.helper(1).kill();
            delete(fleet.disk(1));
            fleet.coordinator().pause();
            Thread back = new Thread(() -> {
                within().until(() -> Files.exists(fleet.disk(1).resolve("cloudmw-store.new")));
                fleet.coordinator().resume();
            });
            back.start();
            assertThat(refusal(fleet)).contains("not mounted?");
            back.join();
        }
    }

    @Test
    void theCoordinatorIsKilledInTheMiddleOfTheWalkAndAllCopiesAreMade() throws Exception {
        try (Fleet fleet = Fleet.hosted(directory, PATIENT, "coordinator", "helper-1", "helper-2")) {
            fleet.startDiskHelpers(2, "");
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2));
            Path source = fleet.file("source", MIB + 7);
            List<FilePath> files = written(fleet, volume, source);
            long had = chunks(fleet.disk(1));
            fleet.helper(1).kill();
            delete(fleet.disk(1));
            fleet.restart("helper-1", List.of("--replace-disk", "disk-1"));
            fleet.coordinator().kill();
            fleet.restart("coordinator");
            within().until(() -> replaced(fleet).missing() > replaced(fleet).made());
            fleet.coordinator().kill();
            fleet.restart("coordinator");
            within().until(() -> replaced(fleet).complete());
            assertThat(chunks(fleet.disk(1))).isEqualTo(had);
            fleet.helper(2).kill();
            allAreThere(fleet, files, source);
        }
    }

    /** The disk is in the state of the release before disks had identities. */
    @Test
    void diskWithoutAnIdentityIsAcceptedOnceAndGetsOne() throws Exception {
        try (Fleet fleet = Fleet.hosted(directory, PATIENT, "helper-1")) {
            Path file = Files.createDirectories(fleet.disk(1)).resolve("cloudmw-store");
            Files.writeString(file, "cloudmw-store 1\ndisk-1\n");
            fleet.startDiskHelpers(1, "");
            assertThat(Files.readString(file)).contains("identity ", "cluster ");
            fleet.helper(1).kill();
            Files.writeString(file, "cloudmw-store 1\ndisk-1\n");
            assertThat(refusal(fleet)).contains("another disk");
        }
    }
}
