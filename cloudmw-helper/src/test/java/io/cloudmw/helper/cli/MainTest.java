package io.cloudmw.helper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
    @TempDir
    private Path directory;

    @Test
    void helpIsNoFailure() {
        assertThat(Main.run("--help")).isZero();
        assertThat(Main.run("helper", "--help")).isZero();
        assertThat(Main.run("coordinator", "--help")).isZero();
        assertThat(Main.run("standalone", "--help")).isZero();
    }

    @Test
    void aWrongCommandLineExitsWithTwo() throws IOException {
        assertThat(Main.run("helper", "--no-such-option")).isEqualTo(2);
        assertThat(Main.run("helper", "--secret-file", secret(), "--disk", "no-directory"))
                .isEqualTo(2);
        assertThat(Main.run("helper", "--secret-file", secret())).isEqualTo(2);
        assertThat(Main.run("helper", "--secret-file", secret(), "--id", "h", "-D", "helper.no-such=1"))
                .isEqualTo(2);
    }

    @Test
    void aDiskThatCannotBeOpenedExitsWithSeven() throws IOException {
        Path file = Files.writeString(directory.resolve("a-file"), "not a directory");
        assertThat(Main.run("helper", "--secret-file", secret(), "--id", "h", "--disk", "d=" + file))
                .isEqualTo(7);
    }

    @Test
    void aMissingSettingsFileExitsWithSeven() {
        assertThat(Main.run("helper", "--config", directory.resolve("none").toString()))
                .isEqualTo(7);
    }

    @Test
    void everyFailureHasAnExitCode() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(Main.exitCode(new CloudMwException(code, "x"))).isIn(1, 2, 5, 7, 8);
        }
        assertThat(Main.exitCode(new IllegalStateException())).isEqualTo(1);
    }

    private String secret() throws IOException {
        return Files.writeString(directory.resolve("secret"), "x".repeat(32)).toString();
    }
}
