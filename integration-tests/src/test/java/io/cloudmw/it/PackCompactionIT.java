package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the compaction of packs on processes. */
final class PackCompactionIT {
    private static final int FILES = 300;
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final Map<String, String> HURRIED = Map.of(
            "coordinator.heartbeat-interval", "200ms",
            "coordinator.repair-interval", "200ms",
            "coordinator.collect-every", "1s",
            "coordinator.token-ttl", "10s",
            "coordinator.clock-skew", "100ms");

    @TempDir
    private Path directory;

    private final SplittableRandom random = new SplittableRandom(7);

    private static long storedBytes(Fleet fleet) throws IOException {
        long bytes = 0;
        for (int disk = 1; disk <= 2; disk++) {
            try (Stream<Path> files = Files.walk(fleet.disk(disk).resolve("chunks"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    bytes += Files.size(file);
                }
            }
        }
        return bytes;
    }

    private static FilePath path(VolumeName volume, int file) {
        return new FilePath(volume, "/d" + file % 3 + "/f" + file);
    }

    private List<Path> put(Fleet fleet, VolumeName volume) throws IOException {
        List<Path> sources = new ArrayList<>();
        List<FilePut> puts = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            byte[] bytes = new byte[500 + random.nextInt(5000)];
            random.nextBytes(bytes);
            sources.add(Files.write(directory.resolve("source" + i), bytes));
            puts.add(FilePut.of(sources.get(i), path(volume, i)));
        }
        fleet.client().files().putAll(puts).forEach(put -> put.join());
        return sources;
    }

    private void remove(Fleet fleet, VolumeName volume, int first) {
        for (int i = first; i < FILES; i += 5) {
            fleet.client().files().remove(path(volume, i)).join();
        }
    }

    private void readAll(Fleet fleet, VolumeName volume, List<Path> sources, int first) {
        List<FileGet> gets = new ArrayList<>();
        for (int i = first; i < FILES; i += 5) {
            gets.add(new FileGet(path(volume, i), directory.resolve("back" + i)));
        }
        fleet.client().files().getAll(gets, GetOptions.defaults()).forEach(get -> get.join());
        for (int i = first; i < FILES; i += 5) {
            assertThat(directory.resolve("back" + i)).hasSameBinaryContentAs(sources.get(i));
        }
        fleet.get(path(volume, first), fleet.target("alone"));
        assertThat(fleet.target("alone")).hasSameBinaryContentAs(sources.get(first));
    }

    /**
     * Most files are removed, some of them after a snapshot. Stores then keep the bytes of the others alone, and all
     * these are read right: together, alone, from the snapshot and after an append.
     */
    @Test
    void bytesOfRemovedFilesAreFreed() throws Exception {
        try (Fleet fleet = Fleet.hosted(directory, HURRIED)) {
            fleet.startDiskHelpers(2, "");
            VolumeName volume = fleet.volume("v", new Chunking.BySize(1 << 20), 2, Fleet.disks(1, 2));
            List<Path> sources = put(fleet, volume);
            long before = storedBytes(fleet);
            for (int part = 0; part < 3; part++) {
                remove(fleet, volume, part);
            }
            var unused = fleet.client().snapshots().create(volume, "s").join();
            remove(fleet, volume, 3);
            Awaitility.await()
                    .atMost(BOUND)
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> {
                        readAll(fleet, volume, sources, 4);
                        return storedBytes(fleet) < before * 6 / 10;
                    });
            readAll(fleet, volume, sources, 4);
            FilePath appended = path(volume, 9);
            Path more = fleet.file("more", 3000);
            fleet.client().files().append(more, appended, PutOptions.defaults()).join();
            fleet.get(appended, fleet.target("longer"));
            byte[] first = Files.readAllBytes(sources.get(9));
            assertThat(Files.readAllBytes(fleet.target("longer")))
                    .startsWith(first)
                    .endsWith(Files.readAllBytes(more));
            for (int i = 3; i < FILES; i += 5) {
                VersionId version = fleet.client()
                        .snapshots()
                        .stat("s", path(volume, i))
                        .join()
                        .version()
                        .id();
                var restored =
                        fleet.client().snapshots().restore("s", path(volume, i)).join();
                assertThat(restored.orElseThrow().id()).isEqualTo(version);
            }
            readAll(fleet, volume, sources, 3);
        }
    }
}
