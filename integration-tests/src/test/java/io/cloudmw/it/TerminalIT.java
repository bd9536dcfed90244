package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command on a terminal, and the key people press there. */
@Timeout(300)
final class TerminalIT {
    /**
     * Presses Ctrl-C once the output matches; prints what came after it. The command gets the interrupt's default back, as
     * a shell gives it to what is in front: a build in the background has it ignored. Any python3 has all this.
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
        try (Fleet fleet = Fleet.ofDisks(directory, 1, "4MiB/s")) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.ByCount(8), 1, Fleet.disks(1)), "/f");
            fleet.put(fleet.file("source", 64 << 20), file);
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
        try (Fleet fleet = Fleet.ofDisks(directory, 1, "4MiB/s")) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.ByCount(32), 1, Fleet.disks(1)), "/f");
            fleet.put(fleet.file("source", 64 << 20), file);

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
