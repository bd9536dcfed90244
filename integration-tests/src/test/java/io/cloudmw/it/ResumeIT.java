package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a command that is killed during a transfer and then repeated. */
final class ResumeIT {
    private static final int CHUNK = 1 << 20;
    private static final int SMALL_CHUNK = 256 << 10;
    private static final int CHUNKS = 256;
    private static final int CHUNKS_IN_FLIGHT = 3;
    private static final int FILES = 30;
    /** The number of copied files at which a copy of a directory is killed. */
    private static final int SEEN = 4;

    @TempDir
    private Path directory;

    /** Kills a process once its longest file with a suffix has a number of bytes. */
    private static void killWhen(Process process, Path folder, String suffix, long bytes) throws Exception {
        killWhen(process, () -> longest(folder, suffix) >= bytes);
    }

    private static void killWhen(Process process, Callable<Boolean> farEnough) throws Exception {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofMinutes(2))
                .until(() -> !process.isAlive() || farEnough.call());
        process.destroyForcibly();
        assertThat(process.waitFor()).as("killed, and not done before").isEqualTo(137);
    }

    private static long longest(Path folder, String suffix) throws IOException {
        if (!Files.exists(folder)) {
            return 0;
        }
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .mapToLong(file -> file.toFile().length())
                    .max()
                    .orElse(0);
        }
    }

    private Process start(Fleet fleet, String... arguments) throws IOException {
        return start(fleet, List.of(arguments));
    }

    private Process start(Fleet fleet, List<String> arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(CommandLine.LAUNCHER.toString());
        builder.command().addAll(arguments);
        builder.redirectErrorStream(true)
                .redirectOutput(directory.resolve("killed.log").toFile());
        builder.environment().put("CLOUDMW_COORDINATOR", fleet.coordinatorAddress());
        builder.environment().put("CLOUDMW_JAVA_OPTS", Fleet.SHORT_LIVED);
        builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
        return builder.start();
    }

    private CommandLine command(Fleet fleet) {
        return new CommandLine(fleet.coordinatorAddress())
                .with(Map.of("XDG_STATE_HOME", directory.resolve("state").toString()));
    }

    @Test
    void putRepeatedAfterAKillSendsOnlyMissingChunks() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "")) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.BySize(SMALL_CHUNK), 1, Fleet.disks(1)), "/f");
            Path source = fleet.file("source", (long) CHUNKS * SMALL_CHUNK);
            Path journals = directory.resolve("state").resolve("cloudmw");
            killWhen(start(fleet, "put", source.toString(), file.toString()), journals, ".put", 10_000);

            JsonNode again = command(fleet)
                    .run("put", source.toString(), file.toString(), "--json")
                    .orThrow()
                    .json();

            long resumed = again.path("resumed_bytes").asLong();
            assertThat(resumed).isGreaterThan(10L * SMALL_CHUNK).isLessThan((long) CHUNKS * SMALL_CHUNK);
            // Each chunk arrives once, except that chunks in flight at the kill arrive twice.
            double arrived = fleet.metricOfAll(1, "cloudmw_bulk_received_bytes_total");
            assertThat(arrived).isBetween(1.0 * CHUNKS * SMALL_CHUNK, (CHUNKS + CHUNKS_IN_FLIGHT) * 1.0 * SMALL_CHUNK);
            assertThat(longest(journals, ".put")).isZero();
            fleet.get(file, fleet.target("f"));
            assertThat(Files.mismatch(fleet.target("f"), source)).isEqualTo(-1);
        }
    }

    @Test
    void getRepeatedAfterAKillFetchesOnlyMissingBytes() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "16MiB/s")) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.BySize(CHUNK), 1, Fleet.disks(1)), "/f");
            Path source = fleet.file("source", 64L * CHUNK);
            fleet.put(source, file);
            Path into = Files.createDirectory(directory.resolve("into"));
            Path target = into.resolve("f");
            killWhen(start(fleet, "get", file.toString(), target.toString()), into, ".part", 24L * CHUNK);
            assertThat(target).doesNotExist();
            long arrived = longest(into, ".part");

            JsonNode again = command(fleet)
                    .run("get", file.toString(), target.toString(), "--json")
                    .orThrow()
                    .json();

            long resumed = again.path("resumed_bytes").asLong();
            assertThat(resumed + again.path("useful_bytes").asLong()).isEqualTo(64L * CHUNK);
            // The partial file ends at the furthest leaf that arrived. Leaves in flight leave gaps before its end.
            assertThat(resumed).isBetween(arrived - 16L * CHUNK, arrived);
            assertThat(Files.mismatch(target, source)).isEqualTo(-1);
            try (var left = Files.list(into)) {
                assertThat(left).containsExactly(target);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put -r", "sync"})
    void directoryPutRepeatedAfterAKillCopiesOnlyMissingFiles(String how) throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(SMALL_CHUNK), 1, Fleet.disks(1));
            Path tree = tree(fleet);
            List<String> in = copy(how, tree.toString(), "v:/tree");
            killWhen(start(fleet, in), () -> listed(fleet, volume) > SEEN);
            goesOn(fleet, in);
            command(fleet)
                    .run("get", "-r", "v:/tree", directory.resolve("back").toString())
                    .orThrow();
            same(tree, directory.resolve("back"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"get -r", "sync"})
    void directoryGetRepeatedAfterAKillCopiesOnlyMissingFiles(String how) throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(SMALL_CHUNK), 1, Fleet.disks(1));
            Path tree = tree(fleet);
            command(fleet).run("put", "-r", tree.toString(), volume + ":/tree").orThrow();
            Path back = directory.resolve("back");
            List<String> out = copy(how, "v:/tree", back.toString());
            killWhen(start(fleet, out), () -> Files.exists(back.resolve("f" + (100 + SEEN))));
            goesOn(fleet, out);
            same(tree, back);
        }
    }

    private static List<String> copy(String how, String from, String to) {
        List<String> command = new ArrayList<>(List.of(how.split(" ", -1)));
        command.addAll(List.of(from, to, "--parallel", "1"));
        return command;
    }

    /** Creates a directory tree, with names in the order of a volume's listing. */
    private Path tree(Fleet fleet) throws IOException {
        Path tree = Files.createDirectory(directory.resolve("tree"));
        for (int i = 0; i < FILES; i++) {
            Files.move(fleet.file("made", CHUNK + i), tree.resolve("f" + (100 + i)));
        }
        return tree;
    }

    /** Returns the number of files in the listing; 0 while the directory does not exist. */
    private static int listed(Fleet fleet, VolumeName volume) throws CloudMwException {
        return Calls.find(fleet.client().files().list(volume, "/tree", "", 1000), ErrorCode.NOT_FOUND)
                .map(page -> page.items().size())
                .orElse(0);
    }

    private void goesOn(Fleet fleet, List<String> copy) throws IOException {
        List<String> again = new ArrayList<>(copy);
        again.add("--json");
        JsonNode report =
                command(fleet).run(again.toArray(new String[0])).orThrow().json();
        long unchanged = report.path("unchanged").asLong();
        assertThat(unchanged).isPositive();
        assertThat(report.path("copied").asLong() + unchanged).isEqualTo(FILES);
        assertThat(report.path("failed").asLong()).isZero();
    }

    private static void same(Path tree, Path back) throws IOException {
        for (int i = 0; i < FILES; i++) {
            String name = "f" + (100 + i);
            assertThat(Files.mismatch(tree.resolve(name), back.resolve(name))).isEqualTo(-1);
            assertThat(Files.getLastModifiedTime(back.resolve(name)))
                    .isEqualTo(Files.getLastModifiedTime(tree.resolve(name)));
        }
        try (var all = Files.list(back)) {
            assertThat(all).hasSize(FILES);
        }
    }
}
