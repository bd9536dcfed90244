package io.cloudmw.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class LoadGeneratorTest {
    private static final int LEAF = 4096;
    private static final int SIZE = 5 * LEAF;
    private static final LoadSettings SETTINGS =
            new LoadSettings(new VolumeName("v"), 2, 3, SIZE, 512, Duration.ofMillis(1), 1);

    @TempDir
    private Path directory;

    private final StringWriter said = new StringWriter();

    /** An action of a test while the load runs. */
    @FunctionalInterface
    private interface Meanwhile {
        void run(LoadGenerator load, CloudMw other) throws Exception;
    }

    /** Runs a load whose phase after the warm-up lasts as long as an action. */
    private LoadReport run(Meanwhile meanwhile) throws Exception {
        try (FakeCluster cluster = new FakeCluster(2 * LEAF, LEAF, FakeHelper.Script.SERVE, directory, 8 << 20);
                PipedReader pipe = new PipedReader()) {
            CompletableFuture<LoadReport> running;
            try (PipedWriter orders = new PipedWriter(pipe)) {
                LoadGenerator load = new LoadGenerator(
                        SETTINGS,
                        "/load",
                        () -> CloudMw.connect(
                                CloudMwOptions.of(cluster.coordinator().address())),
                        new PrintWriter(said));
                running = CompletableFuture.supplyAsync(() -> finished(load, pipe));
                awaitLine("ready clients=2");
                orders.write("before\n");
                orders.flush();
                awaitLine("phase before");
                meanwhile.run(load, cluster.client());
            }
            return running.get();
        }
    }

    private static LoadReport finished(LoadGenerator load, Reader phases) {
        try {
            return load.run(new BufferedReader(phases));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitLine(String start) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> said.toString().lines().anyMatch(line -> line.startsWith(start)));
    }

    @Test
    void operationsOnASoundClusterAreClean() throws Exception {
        LoadReport report = run((load, other) ->
                Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> load.operations("before") >= 50));
        StringWriter printed = new StringWriter();
        report.print(new PrintWriter(printed));
        assertThat(report.isClean()).as(printed + said.toString()).isTrue();
        for (LoadOperation.Kind kind : LoadOperation.Kind.values()) {
            assertThat(printed.toString()).containsPattern("before +" + kind.label() + " +[1-9]");
        }
    }

    @Test
    void wrongResultIsSaidAsItComes() throws Exception {
        LoadReport report = run((load, other) -> {
            FilePath file = FilePath.parse("v:/load/client-1/f0");
            byte[] bytes = new byte[SIZE];
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                // One of two puts at once may end with CONFLICT.
                var unused = other.files()
                        .put(new ByteArrayInputStream(bytes), file, PutOptions.defaults())
                        .exceptionally(lost -> null)
                        .join();
                return said.toString().contains("wrong byte at offset");
            });
        });
        assertThat(report.isClean()).isFalse();
        assertThat(said.toString()).containsPattern("FAILED .*before +client 1  (read|range ) +v:/load/client-1/f0");
    }

    @Test
    void missingNameInAListingIsSaid() throws Exception {
        LoadReport report = run((load, other) -> Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    var unused = other.files()
                            .remove(FilePath.parse("v:/load/client-0/f1"))
                            .exceptionally(gone -> null)
                            .join();
                    return said.toString().contains("listed [f0, f2] instead of [f0, f1, f2]");
                }));
        assertThat(report.isClean()).isFalse();
    }
}
