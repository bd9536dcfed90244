package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.status.DrainOrder;
import io.cloudmw.core.status.RepairProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of upkeep on processes. */
final class UpkeepIT {
    private static final long MIB = 1 << 20;
    private static final Duration BOUND = Duration.ofMinutes(1);
    private static final Map<String, String> HURRIED = Map.of(
            "coordinator.heartbeat-interval", "200ms",
            "coordinator.helper-ttl", "5s",
            "coordinator.repair-interval", "200ms",
            "coordinator.repair-after", "5s",
            "coordinator.owed-after", "2s",
            "coordinator.scrub-every", "1s");

    @TempDir
    private Path directory;

    private Fleet fleet(String... processes) throws IOException {
        return fleet(HURRIED, processes);
    }

    private Fleet fleet(Map<String, String> settings, String... processes) throws IOException {
        Fleet fleet = Fleet.hosted(directory, settings, processes);
        fleet.startDiskHelpers(4, "");
        return fleet;
    }

    private static ConditionFactory within() {
        return Awaitility.await().atMost(BOUND).pollInterval(Duration.ofMillis(100));
    }

    private static RepairProgress repair(Fleet fleet) {
        return fleet.client().cluster().status().join().repair();
    }

    private static long chunks(Path disk) throws IOException {
        try (Stream<Path> files = Files.walk(disk)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().matches("[0-9a-f]{32}-[0-9a-f]{8}"))
                    .count();
        }
    }

    /**
     * When a store dies, repair restores the replicas of its chunks within the time limit, and no read fails meanwhile.
     */
    @Test
    void replicasOfADeadStoreAreCopiedWhileReadsGoOn() throws Exception {
        try (Fleet fleet = fleet("helper-1", "helper-2")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 3, Fleet.disks(1, 2, 3, 4));
            FilePath file = new FilePath(volume, "/f");
            Path source = fleet.file("source", 24 * MIB);
            fleet.put(source, file);
            long lost = chunks(fleet.disk(1));
            long others = chunks(fleet.disk(2)) + chunks(fleet.disk(3)) + chunks(fleet.disk(4));
            assertThat(lost).isPositive();

            fleet.helper(1).kill();
            within().until(() -> {
                fleet.get(file, fleet.target("back"));
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
                return repair(fleet).copied() >= lost;
            });
            within().until(() -> repair(fleet).underReplicated().isEmpty());

            assertThat(chunks(fleet.disk(2)) + chunks(fleet.disk(3)) + chunks(fleet.disk(4)))
                    .isEqualTo(others + lost);
            fleet.helper(2).kill();
            fleet.get(file, fleet.target("again"));
            assertThat(fleet.target("again")).hasSameBinaryContentAs(source);
        }
    }

    /** A read finds a damaged copy and reports it, and repair makes the copy again. */
    @Test
    void damagedCopyFoundByAReadIsMadeAgain() throws Exception {
        try (Fleet fleet = fleet()) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 3, Fleet.disks(1, 2, 3));
            FilePath file = new FilePath(volume, "/f");
            Path source = fleet.file("source", MIB);
            fleet.put(source, file);
            flip(fleet.disk(1), 1000);
            within().until(() -> {
                fleet.get(file, fleet.target("back"));
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
                return repair(fleet).copied() == 1;
            });
            assertThat(Files.readAllBytes(onlyChunk(fleet.disk(1))))
                    .isEqualTo(Files.readAllBytes(onlyChunk(fleet.disk(2))));
            assertThat(fleet.client().files().stat(file).join().underReplicatedChunks())
                    .isZero();
        }
    }

    /** Scrubbing finds a flipped byte that no read has met, and repair makes the copy again. */
    @Test
    void flippedByteIsFoundByScrubbingAndRepaired() throws Exception {
        try (Fleet fleet = fleet()) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 3, Fleet.disks(1, 2, 3));
            fleet.put(fleet.file("source", MIB), new FilePath(volume, "/f"));
            flip(fleet.disk(1), 1000);
            within().until(() -> repair(fleet).copied() == 1);

            assertThat(Files.readAllBytes(onlyChunk(fleet.disk(1))))
                    .isEqualTo(Files.readAllBytes(onlyChunk(fleet.disk(2))));
            long rounds = fleet.client().cluster().status().join().scrub().rounds();
            within().until(() ->
                    fleet.client().cluster().status().join().scrub().rounds() >= rounds + 2);
            assertThat(fleet.client().cluster().status().join().scrub().bad()).isZero();
        }
    }

    /** A disk is drained during reads and a coordinator failure. Then its helper stops, and no chunk is missing. */
    @Test
    void drainedDiskIsEmptiedSoThatItsHelperMayStop() throws Exception {
        try (Fleet fleet = fleet("coordinator", "helper-1", "helper-2")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 3, Fleet.disks(1, 2, 3, 4));
            FilePath file = new FilePath(volume, "/f");
            Path source = fleet.file("source", 24 * MIB);
            fleet.put(source, file);
            StoreId drained = Fleet.disks(1)[0];
            DrainOrder order = new DrainOrder(List.of(), Optional.of(new HelperId("helper-1")), true);
            assertThat(fleet.client().stores().drain(order).join()).containsExactly(drained);
            fleet.coordinator().kill();
            fleet.restart("coordinator");
            within().until(() -> {
                fleet.get(file, fleet.target("back"));
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
                return Long.valueOf(0).equals(repair(fleet).left().get(drained));
            });
            assertThat(repair(fleet).underReplicated()).isEmpty();
            fleet.put(source, new FilePath(volume, "/g"));
            fleet.helper(1).kill();
            fleet.helper(2).kill();
            fleet.get(file, fleet.target("again"));
            assertThat(fleet.target("again")).hasSameBinaryContentAs(source);
        }
    }

    /**
     * Collection deletes the chunks of a removed and of a replaced file. Current chunks stay, and so do chunks that the
     * catalog does not know.
     */
    @Test
    void unreferencedObjectsAreDeletedFromDisks() throws Exception {
        Map<String, String> settings = new HashMap<>(HURRIED);
        settings.put("coordinator.collect-every", "1s");
        settings.put("coordinator.token-ttl", "10s");
        settings.put("coordinator.clock-skew", "100ms");
        try (Fleet fleet = fleet(settings)) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 3, Fleet.disks(1, 2, 3));
            FilePath kept = new FilePath(volume, "/kept");
            FilePath removed = new FilePath(volume, "/removed");
            Path source = fleet.file("source", 4 * MIB);
            fleet.put(source, kept);
            fleet.put(source, kept);
            fleet.put(source, removed);
            fleet.client().files().remove(removed).join();
            Path chunk = onlyChunk(fleet.disk(1));
            Path shard = Files.createDirectories(fleet.disk(1).resolve("chunks").resolve("00"));
            Path unknown = Files.copy(chunk, shard.resolve("0".repeat(32) + "-00000000"));
            fleet.client().cluster().collect(UUID.randomUUID(), true).join();
            within().until(() -> {
                fleet.get(kept, fleet.target("back"));
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
                return chunks(fleet.disk(1)) + chunks(fleet.disk(2)) + chunks(fleet.disk(3)) == 3 * 4 + 1;
            });
            assertThat(unknown).exists();
            fleet.get(kept, fleet.target("again"));
            assertThat(fleet.target("again")).hasSameBinaryContentAs(source);
        }
    }

    /**
     * A file shares the chunks of another, which is removed and collected. A lost and a damaged copy of them are made
     * again, though the chunks have other indexes now.
     */
    @Test
    void chunksOfAPartAreKeptAndMended() throws Exception {
        Map<String, String> settings = new HashMap<>(HURRIED);
        settings.put("coordinator.collect-every", "1s");
        settings.put("coordinator.token-ttl", "10s");
        settings.put("coordinator.clock-skew", "100ms");
        try (Fleet fleet = fleet(settings)) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 3, Fleet.disks(1, 2, 3));
            FilePath file = new FilePath(volume, "/f");
            FilePath part = new FilePath(volume, "/part");
            FilePath removed = new FilePath(volume, "/removed");
            Path first = fleet.file("first", 2 * MIB);
            Path second = fleet.file("second", 3 * MIB);
            fleet.put(first, file);
            fleet.put(second, part);
            fleet.put(first, removed);
            VersionId owner = fleet.client().files().stat(part).join().version().id();
            Path whole = concatenate(fleet, file, part, first, second);
            fleet.client().files().remove(part).join();
            fleet.client().files().remove(removed).join();
            within().until(() -> chunks(fleet.disk(1)) + chunks(fleet.disk(2)) + chunks(fleet.disk(3)) == 3 * 5);
            long rounds = fleet.client().cluster().status().join().collect().rounds();
            within().until(() ->
                    fleet.client().cluster().status().join().collect().rounds() >= rounds + 2);
            fleet.get(file, fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(whole);

            byte[] lost = Files.readAllBytes(chunk(fleet.disk(1), new ChunkId(owner, 1)));
            Files.delete(chunk(fleet.disk(1), new ChunkId(owner, 1)));
            Path damaged = chunk(fleet.disk(2), new ChunkId(owner, 2));
            byte[] good = Files.readAllBytes(damaged);
            byte[] bad = good.clone();
            bad[1000] ^= 1;
            Files.write(damaged, bad);
            within().until(() -> repair(fleet).copied() == 2);
            assertThat(Files.readAllBytes(chunk(fleet.disk(1), new ChunkId(owner, 1))))
                    .isEqualTo(lost);
            assertThat(Files.readAllBytes(damaged)).isEqualTo(good);
            assertThat(fleet.client().files().stat(file).join().underReplicatedChunks())
                    .isZero();
            fleet.get(file, fleet.target("again"));
            assertThat(fleet.target("again")).hasSameBinaryContentAs(whole);
        }
    }

    /** Returns a local file with the same bytes. */
    private static Path concatenate(Fleet fleet, FilePath file, FilePath part, Path first, Path second)
            throws IOException {
        byte[] before = Files.readAllBytes(first);
        byte[] more = Files.readAllBytes(second);
        byte[] all = Arrays.copyOf(before, before.length + more.length);
        System.arraycopy(more, 0, all, before.length, more.length);
        FileVersion base = fleet.client().files().stat(file).join().version();
        FileVersion source = fleet.client().files().stat(part).join().version();
        FileChange change = new FileChange(
                base,
                all.length,
                List.of(new ByteRange(before.length, more.length)),
                (into, position) -> {
                    throw new IOException("nothing is to be written");
                },
                List.of(new FileChange.Part(source, before.length)));
        fleet.client().files().change(change, TransferListener.NONE).join();
        return Files.write(fleet.target("whole"), all);
    }

    private static Path chunk(Path disk, ChunkId id) throws IOException {
        try (Stream<Path> files = Files.walk(disk)) {
            return files.filter(file -> file.getFileName().toString().equals(id.toString()))
                    .findFirst()
                    .orElseThrow(() -> new NoSuchFileException(id.toString()));
        }
    }

    private static Path onlyChunk(Path disk) throws IOException {
        try (Stream<Path> files = Files.walk(disk)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9a-f]{32}-[0-9a-f]{8}"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void flip(Path disk, int at) throws IOException {
        Path chunk = onlyChunk(disk);
        byte[] bytes = Files.readAllBytes(chunk);
        bytes[at] ^= 1;
        Files.write(chunk, bytes);
    }
}
