package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.status.StoreStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of disks with little room: file systems in memory. Where the tests may not mount them, they report that they
 * are skipped.
 */
final class FullDisksIT {
    private static final int MIB = 1 << 20;
    private static final int DISKS = 3;
    private static final Duration HEARTBEATS = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private final List<Path> mounted = new ArrayList<>();
    private Fleet fleet;

    /** Mounts three disks of 48 MiB with a reserve of 8 MiB: 40 MiB take chunks, and a chunk may have 64 MiB. */
    @BeforeEach
    void start() throws Exception {
        for (int i = 1; i <= DISKS; i++) {
            Path at = Files.createDirectories(directory.resolve("small-" + i));
            boolean done = run("mount", "-t", "tmpfs", "-o", "size=48m", "cloudmw-test", at.toString()) == 0;
            if (done) {
                mounted.add(at);
            } else {
                System.err.println("FullDisksIT left out: no file system can be mounted here");
            }
            assumeTrue(done, "file systems can be mounted");
        }
        fleet = Fleet.hosted(directory, Map.of());
        fleet.startHelpers(
                1,
                DISKS,
                i -> Map.of(
                        "helper.disk.disk-" + i + ".path",
                        mounted.get(i - 1).toString(),
                        "helper.disk.disk-" + i + ".reserve",
                        "8M"));
        await().atMost(HEARTBEATS)
                .until(() -> fleet.stores().stream()
                        .allMatch(store -> store.freeBytes().isPresent()));
    }

    @AfterEach
    void stop() throws Exception {
        if (fleet != null) {
            fleet.close();
        }
        for (Path at : mounted) {
            assertThat(run("umount", "-l", at.toString())).isZero();
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    @Test
    void fileSmallerThanAChunkIsPlacedWhereItFits() throws Exception {
        VolumeName volume = fleet.volume("v", new Chunking.BySize(64L * MIB, 256 << 10), 3, Fleet.disks(1, 2, 3));
        fleet.put(fleet.file("small", 5 * MIB), new FilePath(volume, "/small"));
        CommandLine command = new CommandLine(fleet.coordinatorAddress());
        assertThat(command.run("store", "ls").orThrow().out()).contains(" reserve=8.0MiB");
        Path large = fleet.file("large", 50 * MIB);
        CommandLine.Result refused = command.run("put", large.toString(), "v:/large");
        assertThat(refused.exitCode()).isEqualTo(5);
        assertThat(refused.err())
                .containsPattern("disk-1 \\(needs 50[.]0 MiB, 3\\d[.]\\d MiB free besides the reserve of 8[.]0 MiB\\)");
    }

    /**
     * A first put of 16 MiB with two replicas succeeds; then five more run at once, 192 MiB altogether where 120 MiB fit.
     * Each put either fails with a full store or leaves a complete file. All five may fail, since the disks may fill up
     * with single copies.
     */
    @Test
    void putsThatOverfillDisksFailOrAreComplete() throws Exception {
        VolumeName volume = fleet.volume("v", new Chunking.BySize(64L * MIB, 256 << 10), 2, Fleet.disks(1, 2, 3));
        Path source = fleet.file("source", 16 * MIB);
        fleet.put(source, new FilePath(volume, "/first"));
        List<CompletableFuture<PutReceipt>> puts = IntStream.range(0, 5)
                .mapToObj(i -> fleet.client().files().put(source, new FilePath(volume, "/" + i), PutOptions.defaults()))
                .toList();
        for (int i = 0; i < puts.size(); i++) {
            try {
                PutReceipt unused = puts.get(i).get(5, TimeUnit.MINUTES);
                Path target = fleet.target("copy-" + i);
                fleet.get(new FilePath(volume, "/" + i), target);
                assertThat(Files.mismatch(source, target)).isEqualTo(-1);
            } catch (ExecutionException e) {
                assertThat(Reasons.unwrapped(e))
                        .isInstanceOfSatisfying(
                                CloudMwException.class,
                                why -> assertThat(why.code()).isIn(ErrorCode.STORE_FULL, ErrorCode.QUORUM_NOT_MET));
            }
        }
        Path target = fleet.target("copy-first");
        fleet.get(new FilePath(volume, "/first"), target);
        assertThat(Files.mismatch(source, target)).isEqualTo(-1);
        assertThat(fleet.stores()).allMatch(StoreStatus::available);
    }
}
