package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Quick checks of the Terraform modules: format, tables of the READMEs, validity. CI runs all checks ({@code
 * infra/test/run.sh}). On a machine without {@code terraform} the script says so and ends, unless {@code
 * CLOUDMW_REQUIRE_TERRAFORM=1} requires it.
 */
final class TerraformIT {
    private static final Path SCRIPT =
            Path.of("..", "infra", "test", "run.sh").toAbsolutePath().normalize();
    private static final long LONGEST_MINUTES = 15;

    @TempDir
    private Path directory;

    @Test
    void modulesAndExamplesAreFormattedDescribedAndValid() throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        Process process = new ProcessBuilder(SCRIPT.toString(), "--quick")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES))
                    .as("%s --quick ends within %s minutes", SCRIPT, LONGEST_MINUTES)
                    .isTrue();
        } finally {
            process.destroy();
        }
        String said = Files.readString(out).strip();
        System.out.println(said);
        assertThat(process.exitValue()).as(said).isZero();
        assertThat(said).containsAnyOf("terraform is not on the path: nothing was checked", "infra: checked in ");
    }
}
