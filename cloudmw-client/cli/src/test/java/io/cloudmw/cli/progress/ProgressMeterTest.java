package io.cloudmw.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.cli.cluster.GcCommand;
import io.cloudmw.client.tree.TreeProgress;
import io.cloudmw.core.status.collect.CollectFindings;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of the text about a command's progress. */
final class ProgressMeterTest {
    private static final long MIB = 1 << 20;

    private final FakeTicker ticker = new FakeTicker();
    private final ProgressMeter meter = new ProgressMeter(ticker);

    private void pass(long seconds) {
        ticker.advance(Duration.ofSeconds(seconds));
    }

    @Test
    void bytesOfAFileAreCountedWithTheirSpeedAndTheTimeThatIsLeft() {
        meter.progressed(0, 100 * MIB);
        pass(10);
        meter.progressed(20 * MIB, 100 * MIB);
        assertThat(meter.text()).isEqualTo("20.0 MiB of 100.0 MiB (20%), 2.0 MiB/s, about 40 s");
    }

    @Test
    void bytesOfAnEarlierRunDoNotCountForTheRate() {
        pass(1);
        meter.reused(60 * MIB);
        meter.progressed(60 * MIB, 100 * MIB);
        pass(9);
        meter.sent(80 * MIB);
        assertThat(meter.text()).isEqualTo("60.0 MiB of 100.0 MiB (60%) stored, 80.0 MiB sent, 2.0 MiB/s, about 10 s");
        meter.reused(70 * MIB);
        meter.progressed(90 * MIB, 100 * MIB);
        assertThat(meter.text()).isEqualTo("90.0 MiB of 100.0 MiB (90%), 2.0 MiB/s, about 5 s");
    }

    @Test
    void putShowsStoredAndSentBytes() {
        meter.progressed(0, 100 * MIB);
        pass(5);
        meter.sent(50 * MIB);
        assertThat(meter.text()).isEqualTo("0 B of 100.0 MiB (0%) stored, 50.0 MiB sent, 10.0 MiB/s, about 5 s");
        meter.waiting(Duration.ofSeconds(3));
        assertThat(meter.text()).endsWith(", waits for 3 s");
        meter.sent(51 * MIB);
        assertThat(meter.text()).doesNotContain("waits");
    }

    @Test
    void progressNeverFalls() {
        Random random = new Random(7);
        long most = 0;
        for (int i = 0; i < 1000; i++) {
            long told = random.nextInt(1 << 20);
            most = Math.max(most, told);
            meter.progressed(told, 1 << 20);
            assertThat(meter.text()).startsWith(io.cloudmw.core.config.Sizes.approximate(most) + " of 1.0 MiB");
        }
    }

    @Test
    void filesAreCountedAndTheirTotalIsALowerBoundWhileTheyAreListed() {
        meter.tree(new TreeProgress(0, 0, 0, 0, 10, 10 * MIB, false));
        pass(10);
        meter.tree(new TreeProgress(1204, 1200 * MIB, 560 * MIB, 0, 3000, 2000 * MIB, false));
        assertThat(meter.text()).isEqualTo("1,204 of at least 3,000 files, 1.2 GiB of at least 2.0 GiB, 56.0 MiB/s");
        meter.tree(new TreeProgress(1204, 1200 * MIB, 560 * MIB, 0, 4000, 3600 * MIB, true));
        assertThat(meter.text()).isEqualTo("1,204 of 4,000 files, 1.2 GiB of 3.5 GiB, 56.0 MiB/s, about 23 s");
        meter.tree(new TreeProgress(4000, 3600 * MIB, 2960 * MIB, 3, 4000, 3600 * MIB, true));
        assertThat(meter.text()).startsWith("4,000 of 4,000 files, 3.5 GiB of 3.5 GiB, 3 deleted");
    }

    @Test
    void tallyHasTheTimeLeftWhenItsTotalIsKnown() {
        meter.counted(new Tally("0 copies", 0, -1, "0 of 2 stores"));
        pass(10);
        meter.counted(new Tally("100 copies", 100, -1, "0 of 2 stores"));
        assertThat(meter.text()).isEqualTo("100 copies; 0 of 2 stores");
        meter.counted(new Tally("100 of about 400 copies", 100, 400, "1 of 2 stores"));
        assertThat(meter.text()).isEqualTo("100 of about 400 copies, about 30 s; 1 of 2 stores");
        meter.counted(new Tally("400 of 400 copies", 400, 400, "2 of 2 stores"));
        assertThat(meter.text()).isEqualTo("400 of 400 copies; 2 of 2 stores");
    }

    @Test
    void collectionProgressHasCopiesBytesAndTheirTotals() {
        CollectRound begun = CollectRound.began(true, 1, 2);
        assertThat(GcCommand.tally(begun).text()).isEqualTo("0 copies, 0 B");
        CollectRound half = begun.found(new CollectFindings(
                        new CopyTotal(1204, 1204 * MIB), new CopyTotal(12, 12 * MIB), new CopyTotal(2, MIB), 0))
                .expecting(new CopyTotal(2400, 2400 * MIB));
        Tally tally = GcCommand.tally(half);
        assertThat(tally.text()).isEqualTo("1,204 of about 2,400 copies, 1.2 GiB of about 2.3 GiB");
        assertThat(tally.details())
                .isEqualTo("0 of 2 stores, 12 copies (12.0 MiB) unreferenced, 0 copies (0 B) deleted");
        Tally whole = GcCommand.tally(half.storeDone().storeDone().expecting(new CopyTotal(1204, 1204 * MIB)));
        assertThat(whole.text()).isEqualTo("1,204 of 1,204 copies, 1.2 GiB of 1.2 GiB");
    }

    @Test
    void aLongPathIsShortenedOnATerminalBeforeTheEstimateIsCut() {
        String text = "1,204 of 4,000 files, 1.2 GiB of 3.5 GiB, 56.0 MiB/s, about 23 s";
        assertThat(Progress.line("get v:/photos", text)).isEqualTo("get v:/photos: " + text);
        String line = Progress.line("get volume:/photos/2024/summer", text);
        assertThat(line).isEqualTo("get ...summer: " + text);
        assertThat(Progress.line("get volume:/photos/2024/summer", "1 of 2 files"))
                .startsWith("get volume:/photos/");
        assertThat(Progress.line("put v:/f", "x".repeat(100))).hasSize(79);
    }

    @Test
    void removedFilesAreCounted() {
        meter.tree(new TreeProgress(0, 0, 0, 12, 0, 0, false));
        assertThat(meter.text()).isEqualTo("12 deleted");
    }
}
