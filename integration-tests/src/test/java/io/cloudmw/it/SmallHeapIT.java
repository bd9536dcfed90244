package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.testing.RoundsAndCooperative;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that configuration bounds memory, whatever the file size and the number of clients. */
final class SmallHeapIT {
    private static final long MIB = 1 << 20;

    @TempDir
    Path directory;

    /** The launcher limits the heap of every helper and of the coordinator to 128 MB, too. */
    @RoundsAndCooperative
    void fiftyGetsAtOnceFitInto128MegabytesOfHeapPerProcess(Mode mode) throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.ofDisks(directory, 3, "").in(mode)) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2, 3)), "/f");
            Path source = fleet.file("source", 24 * MIB);
            fleet.put(source, file);

            Java java = Java.start(
                    directory.resolve("many.log"),
                    List.of("-Xmx128m", "-XX:MaxDirectMemorySize=128m"),
                    ManyGets.class,
                    List.of(
                            fleet.coordinatorAddress(),
                            file.toString(),
                            "50",
                            directory.toString(),
                            source.toString()));

            assertThat(java.waitFor(5, TimeUnit.MINUTES)).as(java.log()).isZero();
        }
    }

    @Test
    void fiftyPutsAtOnceFitInto64MegabytesOfHeapAtTheClient() throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, "")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(4 * MIB), 2, Fleet.disks(1, 2, 3));
            Path source = fleet.file("source", 8 * MIB + 3);

            Java java = Java.start(
                    directory.resolve("many.log"),
                    List.of("-Xmx64m", "-XX:MaxDirectMemorySize=64m"),
                    ManyPuts.class,
                    List.of(fleet.coordinatorAddress(), volume.value(), "50", source.toString()));

            assertThat(java.waitFor(5, TimeUnit.MINUTES)).as(java.log()).isZero();
            for (int i = 0; i < 50; i += 7) {
                fleet.get(new FilePath(volume, "/put-" + i), fleet.target("back"));
                assertThat(Files.mismatch(fleet.target("back"), source)).isEqualTo(-1);
            }
        }
    }

    /** Heap and direct memory together are the channels' limit, 64 MiB, and as much for everything else. */
    @Test
    void thousandOpenChannelsReadInTurnFitInto128MegabytesAtTheClient() throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "")) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2)), "/f");
            Path source = fleet.file("source", 3 * MIB + 5);
            fleet.put(source, file);

            Java java = Java.start(
                    directory.resolve("many.log"),
                    List.of("-Xmx96m", "-XX:MaxDirectMemorySize=32m"),
                    ManyChannels.class,
                    List.of(fleet.coordinatorAddress(), file.toString(), "1000", source.toString()));

            assertThat(java.waitFor(5, TimeUnit.MINUTES)).as(java.log()).isZero();
        }
    }

    @Test
    @Tag("full")
    void aFileLargerThanAllHeapsTogetherPassesThrough64MegabytesAtTheClient() throws IOException {
        assertPasses(640 * MIB);
    }

    @Test
    void aFileLargerThanItsHeapAndBuffersPassesThroughTheClient() throws IOException {
        assertPasses(176 * MIB);
    }

    private void assertPasses(long size) throws IOException {
        try (Fleet fleet = Fleet.ofDisks(directory, 2, "")) {
            Path source = fleet.file("source", size);
            String file = "v:/f";

            CommandLine commands = new CommandLine(fleet.coordinatorAddress());
            JsonNode volume = commands.run(
                            "volume",
                            "create",
                            "v",
                            "--chunks",
                            "3",
                            "--replicas",
                            "2",
                            "--store",
                            "disk-1",
                            "--store",
                            "disk-2",
                            "--json")
                    .orThrow()
                    .json();
            assertThat(volume.get("mode").asText()).isEqualTo(Mode.DEFAULT.label());
            commands.start("put", source.toString(), file).orThrow();
            commands.start("get", file, fleet.target("back").toString()).orThrow();

            assertThat(Files.mismatch(fleet.target("back"), source)).isEqualTo(-1);
        }
    }
}
