package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code scrub now}, {@code repair now} and {@code gc}. */
@Timeout(120)
final class UpkeepRoundTest {
    @TempDir
    private Path directory;

    private CommandFixture commands;

    @BeforeEach
    void start() throws IOException {
        commands = new CommandFixture(64 << 10, 16 << 10, directory.resolve("nowhere"));
    }

    @AfterEach
    void stop() {
        commands.close();
    }

    @Test
    void scrubReportsReadBadRepairedAndRemainingCopies() throws IOException {
        assertThat(commands.run("scrub", "now")).as(commands.err()).isZero();
        assertThat(commands.out())
                .isEqualTo("10 chunks looked at; 30 copies read (30.0 MiB), 2 bad, 1 not readable; 2 copies repaired "
                        + "(2.0 MiB), 0 chunks left with too few\n");
        assertThat(commands.run("repair", "now", "--volume", "vol", "--json")).isZero();
        assertThat(commands.json().get("repaired").asLong()).isEqualTo(2);
        assertThat(commands.json().get("left").asLong()).isZero();
        assertThat(commands.json().get("state").asText()).isEqualTo("done");
    }

    @Test
    void roundBeginsWithoutAWait() throws IOException {
        commands.coordinator().letRoundsStandStill();
        assertThat(commands.run("scrub", "now", "--store", "s", "--no-wait", "--json"))
                .isZero();
        assertThat(commands.json().get("round").asLong()).isOne();
        assertThat(commands.run("scrub", "now", "--store", "s", "--volume", "vol"))
                .isEqualTo(2);
        assertThat(commands.run("scrub")).isEqualTo(2);
    }

    @Test
    void collectionReportsItsProgressAndFindings() throws IOException {
        assertThat(commands.run(new byte[0], true, "gc", "--dry-run"))
                .as(commands.err())
                .isZero();
        assertThat(commands.err()).contains("gc --dry-run: 1,000 copies");
        assertThat(commands.out())
                .contains("30 copies (30.0 MiB) unreferenced, of which 10 are too young to be deleted")
                .contains("20 copies (20.0 MiB) would be deleted");
        assertThat(commands.run("gc", "--json")).isZero();
        assertThat(commands.json().get("listed").asLong()).isEqualTo(1000);
        assertThat(commands.json().get("stores_done").asLong()).isOne();
    }

    /** A restarted coordinator counts rounds from the beginning, so the old number might never come. */
    @Test
    void collectionReportsTheRestartOfItsCoordinator() throws IOException {
        commands.coordinator().forgetOrders();
        commands.coordinator().letRoundsStandStill();
        assertThat(commands.run("gc")).isEqualTo(3);
        assertThat(commands.err()).contains("not known", "restarted", "order a new one");
    }
}
