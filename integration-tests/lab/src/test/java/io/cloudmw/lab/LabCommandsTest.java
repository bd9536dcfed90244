package io.cloudmw.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.cli.CommandFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LabCommandsTest {
    private static final int CHUNK = 256;

    @TempDir
    private Path directory;

    private CommandFixture commands;

    @BeforeEach
    void start() throws IOException {
        commands = new CommandFixture(CHUNK, CHUNK, directory.resolve("nowhere"));
    }

    @AfterEach
    void stop() {
        commands.close();
    }

    private void fails(int exit, String said, String... args) {
        assertThat(commands.run(args)).as(String.join(" ", args)).isEqualTo(exit);
        assertThat(commands.err()).contains(said);
    }

    @Test
    void helpListsTheCommandsOfTheLab() {
        assertThat(commands.run("--help")).isZero();
        assertThat(commands.out()).contains("  demo ", "  bench ", "  torture ");
    }

    @Test
    void wrongOptionValueIsNamedAsTyped() {
        fails(2, "cloudmw: --throttle: \"fast\" (expected: like ", "demo", "--throttle", "fast");
        fails(2, "cloudmw: --runs: 0 (expected: 1..100)", "demo", "--runs", "0");
        fails(2, "cloudmw: --emulate: \"fast\" (expected: like ", "bench", "race", "--emulate", "fast");
        fails(2, "'--reads': \"much\" (expected: like 64MiB)", "bench", "switch", "--size", "1GB", "--reads", "much");
        fails(
                2,
                "cloudmw: --switches: 1 (expected: at least 2 with --kill, so that one is left)",
                "bench",
                "switch",
                "--switches",
                "1",
                "--kill");
        for (String about : List.of("--read-count", "--neighbours", "--neighbour-command")) {
            fails(
                    2,
                    "cloudmw: --read-count, --neighbours, --neighbour-command: only with --reads",
                    "bench",
                    "switch",
                    about,
                    "1");
        }
    }

    @Test
    void benchRefusesOutputItCannotWriteBeforeItBegins() throws IOException {
        String nowhere = directory.resolve("none").resolve("plot.svg").toString();
        assertThat(commands.run("bench", "race", "--plot", nowhere)).isEqualTo(7);
        assertThat(commands.err()).contains("--plot: cannot write " + nowhere);
        assertThat(commands.run("bench", "race", "--plot", directory.toString(), "--json"))
                .isEqualTo(7);
        assertThat(commands.json().get("error").get("code").asText()).isEqualTo("LOCAL_IO");
        assertThat(commands.run("bench", "race", "--peers")).isEqualTo(2);
        assertThat(commands.err()).contains("--peers: none on the class path");
        assertThat(commands.run("bench", "race", "--volume", "v", "--k", "2")).isEqualTo(2);
        assertThat(commands.err()).contains("--k: not with --volume");
    }

    @Test
    void commandWithItsOwnClusterRefusesOptionsOfAnother() throws IOException {
        for (String[] option : new String[][] {
            {"-c", "127.0.0.1:1"},
            {"--coordinator", "127.0.0.1:1"},
            {"--config", directory.resolve("none").toString()},
            {"--timeout", "1s"},
            {"--location", "zone-a"}
        }) {
            for (String[] command : new String[][] {{"demo"}, {"torture"}, {"bench", "switch"}, {"bench", "race"}}) {
                refused(command, concat(option, command));
                refused(command, concat(command, option));
            }
            refused(new String[] {"bench", "race"}, concat(concat(new String[] {"bench"}, option), "race"));
            refused(new String[] {"bench", "switch"}, concat(concat(new String[] {"bench"}, option), "switch"));
        }
    }

    private void refused(String[] command, String[] arguments) throws IOException {
        String line = String.join(" ", arguments);
        assertThat(commands.run(concat(arguments, "--json"))).as(line).isEqualTo(2);
        assertThat(commands.err())
                .as(line)
                .contains("--coordinator, --config, --timeout, --location", String.join(" ", command), "of its own");
        assertThat(commands.json().at("/error/code").asText()).as(line).isEqualTo("INVALID_ARGUMENT");
    }

    private static String[] concat(String[] first, String... second) {
        return Stream.concat(Stream.of(first), Stream.of(second)).toArray(String[]::new);
    }

    @Test
    void outputOptionsOfCommandWithItsOwnClusterCountBeforeAndAfterItsName() {
        for (String[] command : new String[][] {{"demo"}, {"torture"}, {"bench", "switch"}}) {
            for (String option : new String[] {"--json", "-q", "-v"}) {
                // The help is printed instead, once all options are understood.
                assertThat(commands.run(concat(new String[] {option}, concat(command, "--help"))))
                        .isZero();
                assertThat(commands.run(concat(command, option, "--help"))).isZero();
            }
            assertThat(commands.run(concat(command, "--help"))).isZero();
            assertThat(commands.out()).contains("--json", "--quiet").doesNotContain("--coordinator=", "--location");
        }
    }
}
