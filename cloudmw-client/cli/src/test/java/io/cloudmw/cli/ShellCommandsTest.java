package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of completion scripts and manual pages with the shells and programs that read them, where they are installed.
 */
final class ShellCommandsTest {
    @TempDir
    private Path directory;

    private CommandFixture commands;

    @BeforeEach
    void start() throws IOException {
        commands = new CommandFixture(64 << 10, 64 << 10, directory.resolve("nowhere"));
    }

    @AfterEach
    void stop() {
        commands.close();
    }

    private Path script(String shell) throws IOException {
        assertThat(commands.run("completion", shell)).as(commands.err()).isZero();
        return Files.writeString(directory.resolve("complete." + shell), commands.out());
    }

    private static Optional<String> found(String program) {
        Optional<String> path = Stream.of(System.getenv("PATH").split(":", -1))
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
        if (path.isEmpty()) {
            System.err.println("not tested with " + program + ": it is not installed");
        }
        return path;
    }

    /** Runs a program and returns its standard output and standard error. */
    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        return out;
    }

    /** Returns the completions that bash offers for the last of these words. */
    private List<String> bash(Path script, String... words) throws Exception {
        String asked = "compopt() { :; }; source " + script + "; shift 0; COMP_WORDS=(\"$@\");"
                + " COMP_CWORD=$(($# - 1)); _complete_cloudmw; printf '%s\\n' \"${COMPREPLY[@]}\"";
        String[] command = Stream.concat(Stream.of("bash", "--norc", "-c", asked, "bash"), Stream.of(words))
                .toArray(String[]::new);
        return run(command).lines().map(String::strip).toList();
    }

    @Test
    void bashCompletesCommandsOptionsAndChoices() throws Exception {
        Path script = script("bash");
        assertThat(bash(script, "cloudmw", "trun")).containsExactly("truncate");
        assertThat(bash(script, "cloudmw", "-c", "host:1", "pu")).containsExactly("put");
        assertThat(bash(script, "cloudmw", "volume", "cr")).containsExactly("create");
        assertThat(bash(script, "cloudmw", "volume", "create", "--write")).containsExactly("--write-quorum");
        assertThat(bash(script, "cloudmw", "volume", "create", "--mode", "he")).containsExactly("hedged");
        assertThat(bash(script, "cloudmw", "ls", "--loc")).containsExactly("--location");
        assertThat(bash(script, "cloudmw", "")).contains("put", "volume").doesNotContain("warm-up");
    }

    @Test
    void zshLoadsItsScript() throws Exception {
        Path script = script("zsh");
        if (found("zsh").isPresent()) {
            assertThat(run(
                            "zsh",
                            "-f",
                            "-c",
                            "autoload -U compinit; compinit -u -D; source " + script + "; echo $_comps[cloudmw]"))
                    .contains("_complete_cloudmw");
        }
    }

    @Test
    void fishCompletesCommandsOptionsAndChoices() throws Exception {
        Path script = script("fish");
        assertThat(Files.readString(script))
                .contains("complete -c cloudmw -n '__cloudmw_at \"volume create\"' -l mode -x -a \"single chunked ");
        if (found("fish").isPresent()) {
            assertThat(fish(script, "trun")).containsExactly("truncate");
            assertThat(fish(script, "--coordinator host:1 pu")).containsExactly("put");
            assertThat(fish(script, "volume cr")).containsExactly("create");
            assertThat(fish(script, "volume create --mode he")).containsExactly("hedged");
            assertThat(fish(script, "volume create --write")).containsExactly("--write-quorum");
        }
    }

    private static List<String> fish(Path script, String line) throws Exception {
        String asked = "source " + script + "; complete -C 'cloudmw " + line + "'";
        return run("fish", "--no-config", "-c", asked)
                .lines()
                .map(answer -> answer.replaceFirst("\t.*", ""))
                .toList();
    }

    @Test
    void everyCommandHasAPageThatManCanShow() throws Exception {
        Path pages = directory.resolve("man");
        assertThat(commands.run("man", "--directory", pages.toString())).isZero();
        List<Path> all;
        try (var files = Files.list(pages)) {
            all = files.sorted().toList();
        }
        assertThat(all)
                .extracting(page -> page.getFileName().toString())
                .contains("cloudmw.1", "cloudmw-put.1", "cloudmw-volume-create.1")
                .doesNotContain("cloudmw-warm-up.1");
        for (Path page : all) {
            if (found("mandoc").isPresent()) {
                assertThat(run("mandoc", "-Tlint", "-W", "error", page.toString()))
                        .isEmpty();
            }
            if (found("groff").isPresent()) {
                assertThat(run("groff", "-man", "-Tascii", "-P-cbou", "-ww", page.toString()))
                        .doesNotContain("warning:", "error:")
                        .contains("NAME", "SYNOPSIS");
            }
        }
    }

    @Test
    void manualPageHasTheTextOfTheHelp() {
        assertThat(commands.run("man", "volume", "create")).isZero();
        assertThat(commands.out())
                .startsWith(".TH \"CLOUDMW\\-VOLUME\\-CREATE\" 1 ")
                .contains("\\fB\\-\\-write\\-quorum\\fR \\fIQ\\fR", "hedged", "\\fBcloudmw\\-volume\\fR(1)");
        assertThat(commands.run("man", "volume", "fly")).isEqualTo(2);
        assertThat(commands.err()).contains("volume fly");
        assertThat(commands.run("completion", "tcsh")).isEqualTo(2);
    }

    @Test
    void theHelpShowsCommandsInGroupsAndExamples() {
        assertThat(commands.run("--help")).isZero();
        assertThat(commands.out())
                .containsSubsequence(
                        "Files:\n",
                        "  put ",
                        "Volumes and stores:\n",
                        "  volume ",
                        "Snapshots and backup:\n",
                        "Cluster:\n")
                .contains("Serving:\n", "  helper ", "  coordinator ", "  recover ", "Examples:\n", "64MB is of 1000")
                .doesNotContain("warm-up", "Commands:\n", "%n");
    }

    @Test
    void everyCommandIsInAGroup() {
        assertThat(commands.run("--help")).isZero();
        assertThat(commands.out()).doesNotContain("Other:");
    }
}
