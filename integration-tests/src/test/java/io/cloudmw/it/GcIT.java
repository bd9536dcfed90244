package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.upkeep.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code cloudmw gc} and of the coordinator's collection round. */
@Timeout(400)
final class GcIT {
    private static final int PAGES = 40;

    @TempDir
    private Path directory;

    /**
     * Fills a disk with copies of a version that no catalog knows. The coordinator lists one page of the store every
     * two seconds, so a round takes more than a minute.
     */
    static void makeSlowToList(Path disk) throws IOException {
        Path shard = Files.createDirectories(disk.resolve("chunks").resolve("00"));
        for (int i = 0; i < PAGES * Task.Survey.PAGE; i++) {
            Files.createFile(shard.resolve("0".repeat(32) + String.format("-%08x", i)));
        }
    }

    @Test
    void gcReportsThatItsRoundIsUnknownWhenTheCoordinatorRestarts() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "", "coordinator")) {
            makeSlowToList(fleet.disk(1));
            CompletableFuture<CommandLine.Result> gc = CompletableFuture.supplyAsync(
                    () -> new CommandLine(fleet.coordinatorAddress()).run("gc", "--dry-run"));
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() ->
                            fleet.client().cluster().status().join().collect().underWay());
            fleet.coordinator().kill();
            fleet.restart("coordinator");
            CommandLine.Result result = gc.get();
            assertThat(result.exitCode()).as(result.toString()).isEqualTo(3);
            assertThat(result.err()).contains("its coordinator was restarted", "order a new one");
        }
    }
}
