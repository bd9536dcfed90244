package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.status.collect.CollectProgress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the command on a terminal, and of Ctrl-C. */
@Timeout(400)
final class TerminalIT {
    /**
     * A Python program that presses Ctrl-C once the output matches, and prints the later output. The command gets
     * SIGINT's default effect back, as a shell does for a foreground process; a background build ignores it. Any
     * python3 can run the program.
     */
    private static final String PRESS_CTRL_C = """
            import os, pty, re, signal, sys
            pid, terminal = pty.fork()
            if pid == 0:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.execvp(sys.argv[2], sys.argv[2:])
            seen, pressed = b"", 0
            while True:
                try:
                    piece = os.read(terminal, 4096)
                except OSError:
                    break
                if not piece:
                    break
                seen += piece
                if not pressed and re.search(sys.argv[1].encode(), seen):
                    pressed = len(seen)
                    os.write(terminal, b"\\x03")
            status = os.waitpid(pid, 0)[1]
            sys.stdout.buffer.write(seen[pressed:])
            sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
            """;

    private static final String SOME_PROGRESS = "[1-9][0-9]*%";

    @TempDir
    private Path directory;

    @Test
    void ctrlCInTheMiddleOfAGetLeavesNeitherHalfAFileNorHalfALine() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "1MiB/s")) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.ByCount(8), 1, Fleet.disks(1)), "/f");
            fleet.put(fleet.file("source", 16 << 20), file);
            Path destination = Files.createDirectory(directory.resolve("destination"));
            Path target = Files.writeString(destination.resolve("file"), "before");

            Process process = pressing(fleet, SOME_PROGRESS, "get", file.toString(), target.toString());
            String after = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor()).as(after).isEqualTo(130);
            assertThat(after).endsWith("\r\ncloudmw: " + file + ": cancelled\r\n");
            assertThat(target).hasContent("before");
            try (var left = Files.list(destination)) {
                assertThat(left).containsExactly(target);
            }
        }
    }

    @Test
    void ctrlCEndsAScrubAtItsCoordinator() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "1MiB/s")) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.ByCount(32), 1, Fleet.disks(1)), "/f");
            fleet.put(fleet.file("source", 16 << 20), file);

            Process process = pressing(fleet, "[1-9][0-9]* copies read", "scrub", "now");
            String after = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor()).as(after).isEqualTo(130);
            assertThat(after).endsWith("\r\ncloudmw: interrupted\r\n");
            CommandLine.Result next =
                    new CommandLine(fleet.coordinatorAddress()).run("scrub", "now", "--store", "disk-1", "--no-wait");
            assertThat(next.exitCode())
                    .as("a round that goes on is in the way of the next: %s", next.err())
                    .isZero();
        }
    }

    /** The progress line of a directory: files and bytes, their totals, and the remaining time. */
    private static final String FILES = "%s[^\\r\\n]*: [0-9]+ of [0-9]+ files, [0-9.]+ [MK]?i?B of 8\\.0 MiB";

    private static final String ALL_FILES = "8 of 8 files, 8.0 MiB of 8.0 MiB";

    @Test
    void commandsThatCopyDirectoriesCountFilesAndBytesAndEstimateOnATerminal() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "1MiB/s")) {
            fleet.volume("v", new Chunking.ByCount(1), 1, Fleet.disks(1));
            Path tree = Files.createDirectory(directory.resolve("tree"));
            for (int i = 0; i < 8; i++) {
                Files.move(fleet.file("source", 1 << 20), tree.resolve("f" + i));
            }
            assertThat(whole(fleet, "put", "-r", tree.toString(), "v:/t"))
                    .containsPattern(FILES.formatted("put v:/t"))
                    .contains(ALL_FILES);
            Path back = directory.resolve("back");
            // The disk gives 1 MiB per second, so an estimate appears long before the end.
            assertThat(whole(fleet, "get", "-r", "v:/t", back.toString()))
                    .containsPattern(FILES.formatted("get v:/t") + "[^\\r\\n]*, about [0-9]+ (s|min)")
                    .contains(ALL_FILES);
            assertThat(whole(fleet, "sync", "v:/t", directory.resolve("synced").toString()))
                    .containsPattern("sync[^\\r\\n]*: [0-9]+ of [0-9]+ files[^\\r\\n]*, about [0-9]+ (s|min)")
                    .contains(ALL_FILES);
            // The files share a pack.
            assertThat(whole(fleet, "gc", "--dry-run")).contains("1 of 1 copies, 8.0 MiB of 8.0 MiB; 1 of 1 stores");
        }
    }

    @Test
    @Tag("full")
    void commandsThatCopyDirectoriesCountTheSameInPlainLines() throws Exception {
        assertCountsInPlainLines(32, true);
    }

    @Test
    void getOfADirectoryCountsTheSameInPlainLines() throws Exception {
        assertCountsInPlainLines(14, false);
    }

    /** Copies files of 1 MiB by the command get, and again by sync if {@code syncs}. */
    private void assertCountsInPlainLines(int files, boolean syncs) throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "1MiB/s")) {
            fleet.volume("v", new Chunking.ByCount(1), 1, Fleet.disks(1));
            Path tree = Files.createDirectory(directory.resolve("tree"));
            for (int i = 0; i < files; i++) {
                Files.move(fleet.file("source", 1 << 20), tree.resolve("f" + i));
            }
            CommandLine command = new CommandLine(fleet.coordinatorAddress());
            command.run("put", "-r", tree.toString(), "v:/t").orThrow();
            // The disk needs a second per file, and lines come every five seconds.
            String line = ": [0-9]+ of " + files + " files, [0-9.]+ [MK]?i?B of " + files
                    + "\\.0 MiB, [^\\n]*, about [0-9]+ (s|min)\\n";
            String got = command.run(
                            "get", "-r", "v:/t", directory.resolve("back").toString())
                    .orThrow()
                    .err();
            assertThat(got).containsPattern("get v:/t" + line);
            if (!syncs) {
                return;
            }
            String synced = command.run(
                            "sync", "v:/t", directory.resolve("synced").toString())
                    .orThrow()
                    .err();
            assertThat(synced).containsPattern("sync [^\\n]*" + line);
        }
    }

    /** Returns all output of a command on its terminal. */
    private static String whole(Fleet fleet, String... command) throws Exception {
        Process process = pressing(fleet, "(?!)", command);
        String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(all).isZero();
        return all;
    }

    @Test
    void ctrlCEndsADryRunOfGarbageCollectionAtItsCoordinator() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "")) {
            GcIT.makeSlowToList(fleet.disk(1));

            Process process = pressing(fleet, "[0-9]+ (of about [0-9,]+ )?copies", "gc", "--dry-run");
            String after = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor()).as(after).isEqualTo(130);
            assertThat(after).endsWith("\r\ncloudmw: interrupted\r\n");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> !collected(fleet).underWay());
            assertThat(collected(fleet).rounds()).isEqualTo(1);
            assertThat(collected(fleet).last().coverage().storesDone())
                    .as("the round was ended, and not done")
                    .isZero();
        }
    }

    private static CollectProgress collected(Fleet fleet) {
        return fleet.client().cluster().status().join().collect();
    }

    private static Process pressing(Fleet fleet, String when, String... command) throws IOException {
        List<String> all =
                new ArrayList<>(List.of("python3", "-c", PRESS_CTRL_C, when, CommandLine.LAUNCHER.toString()));
        all.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("TERM", "xterm");
        builder.environment().put("CLOUDMW_COORDINATOR", fleet.coordinatorAddress());
        return builder.start();
    }
}
