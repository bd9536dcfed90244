package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.cli.command.GlobalOptions;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.VolumeChange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests of options before and after the command, and in both places, and of a few prompts and listings. */
final class GlobalOptionsTest {
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

    private static CloudMwOptions options(String... arguments) throws Exception {
        GlobalOptions options = new GlobalOptions();
        CommandLine.populateCommand(options, arguments);
        return options.clientOptions(Map.of());
    }

    @Test
    void optionMayPrecedeTheCommand() throws IOException {
        assertThat(commands.run("--json", "volume", "ls")).isZero();
        assertThat(commands.json().has("volumes")).isTrue();
        assertThat(commands.run("volume", "--json", "ls")).isZero();
        assertThat(commands.json().has("volumes")).isTrue();
        String nowhere = "127.0.0.1:1";
        assertThat(commands.run("--coordinator", nowhere, "--timeout", "300ms", "stat", "vol:/a"))
                .isEqualTo(5);
        assertThat(commands.err()).contains(nowhere);
        assertThat(commands.run("--location", "a//b", "stat", "vol:/a")).isEqualTo(2);
        assertThat(commands.run("--config", directory.resolve("none").toString(), "volume", "ls"))
                .isEqualTo(7);
    }

    @Test
    void optionNearestToTheCommandWins() {
        String here = commands.coordinator().address();
        assertThat(commands.run("-c", "127.0.0.1:1", "volume", "ls", "-c", here))
                .isZero();
        assertThat(commands.run("-c", "127.0.0.1:1", "volume", "-c", here, "ls"))
                .isZero();
        assertThat(commands.run("-c", here, "volume", "ls", "-c", "127.0.0.1:1", "--timeout", "300ms"))
                .isEqualTo(5);
    }

    @Test
    void concurrentChangeOfAVolumeFailsForTheSecond() throws IOException {
        assertThat(commands.run("volume", "create", "v", "--replicas", "1")).isZero();
        commands.coordinator()
                .changeAfterNextRead(
                        VolumeChange.of(new VolumeName("v")).mode(Mode.HEDGED).build());
        assertThat(commands.run("volume", "set", "v", "--mode", "single", "--json"))
                .isEqualTo(4);
        assertThat(commands.err()).contains("v was changed meanwhile: it has generation 2 (expected: 1)");
        assertThat(commands.json().at("/error/code").asText()).isEqualTo("CONFLICT");
        assertThat(commands.run("volume", "show", "v", "--json")).isZero();
        assertThat(commands.json().at("/mode").asText()).isEqualTo("hedged");

        assertThat(commands.run("volume", "set", "v", "--mode", "single")).isZero();
        assertThat(commands.out()).contains("volume v has generation 3");
        assertThat(commands.run("volume", "set", "v", "--mode", "kn", "--generation", "2"))
                .isEqualTo(4);
    }

    @Test
    void timeoutHasUnitsAndReplacesTheShorterFirstOne() throws Exception {
        assertThat(options().firstAnswerTimeout()).isEqualTo(Duration.ofSeconds(15));
        assertThat(options().coordinatorTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options().refusedTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(options("--timeout", "60s").refusedTimeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(options("--timeout", "60s").firstAnswerTimeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(options("--timeout", "2m").coordinatorTimeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(options("--timeout", "60").firstAnswerTimeout()).isEqualTo(Duration.ofSeconds(60));
        Path config = Files.writeString(directory.resolve("config"), "client.coordinator-timeout = 40s\n");
        assertThat(options("--config", config.toString()).firstAnswerTimeout()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void sizesAreWrittenInEveryUsualForm() throws IOException {
        for (String size : new String[] {"64M", "64MiB", "64Mi", "67108864"}) {
            assertThat(commands.run("volume", "create", "v", "--replicas", "1", "--chunk-size", size, "--json"))
                    .isZero();
            assertThat(commands.json().get("chunk_size_bytes").asLong()).isEqualTo(64 << 20);
        }
        assertThat(commands.run("volume", "create", "--help")).isZero();
        assertThat(commands.out()).contains("  single ", "  hedged ", "  cooperative ", "(default)");
    }

    @Test
    void volumeWithFilesIsDeletedOnATerminalOnlyAfterConfirmation() {
        byte[] content = "x".getBytes(StandardCharsets.UTF_8);
        assertThat(commands.run("volume", "create", "vol", "--replicas", "1")).isZero();
        assertThat(commands.run(content, false, "put", "-", "vol:/d/a")).isZero();
        assertThat(commands.run(content, false, "put", "-", "vol:/b")).isZero();
        byte[] no = "n\n".getBytes(StandardCharsets.UTF_8);
        assertThat(commands.run(no, true, "volume", "rm", "vol", "--force")).isEqualTo(130);
        assertThat(commands.err()).contains("Delete volume vol with 2 files? [y/N] ", "vol: not deleted");
        assertThat(commands.run(new byte[0], true, "volume", "rm", "vol", "--force"))
                .isEqualTo(130);
        byte[] yes = "yes\n".getBytes(StandardCharsets.UTF_8);
        assertThat(commands.run(yes, true, "volume", "rm", "vol", "--force")).isZero();
    }

    @Test
    void volumeIsDeletedWithoutAPromptWithYesOrWithoutATerminal() {
        assertThat(commands.run("volume", "create", "one", "--replicas", "1")).isZero();
        assertThat(commands.run(new byte[0], true, "volume", "rm", "one", "--force", "--yes"))
                .isZero();
        assertThat(commands.err()).isEmpty();
        assertThat(commands.run("volume", "create", "two", "--replicas", "1")).isZero();
        assertThat(commands.run("volume", "rm", "two", "--force")).isZero();
        assertThat(commands.err()).isEmpty();
    }

    @Test
    void aLongListingHasTimeReplicasAndSize() {
        assertThat(commands.run("volume", "create", "vol", "--replicas", "1")).isZero();
        assertThat(commands.run(new byte[2048], false, "put", "-", "vol:/d/a")).isZero();
        assertThat(commands.run("ls", "-l", "vol:/d")).isZero();
        assertThat(commands.out()).matches("[0-9-]{10}T[0-9:]{8}Z +1 +2[.]0 KiB  a\n");
        assertThat(commands.run("ls", "-l", "--bytes", "vol:/d")).isZero();
        assertThat(commands.out()).matches("[0-9-]{10}T[0-9:]{8}Z +1 +2048  a\n");
        assertThat(commands.run("ls", "-l", "vol:/")).isZero();
        assertThat(commands.out()).matches("- +- +-  d/\n");
    }
}
