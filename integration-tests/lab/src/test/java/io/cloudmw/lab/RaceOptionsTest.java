package io.cloudmw.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.lab.race.LabSettings;
import io.cloudmw.lab.race.Layout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class RaceOptionsTest {
    @CommandLine.Command
    private static final class Holder {
        @CommandLine.Mixin
        private RaceOptions options = new RaceOptions();
    }

    private static RaceOptions options(String... arguments) {
        Holder holder = new Holder();
        var unused = new CommandLine(holder).parseArgs(arguments);
        return holder.options;
    }

    private static LabSettings parse(String... arguments) {
        return options(arguments).emulated();
    }

    @Test
    void thePapersExperimentIsTheDefault() {
        LabSettings settings = parse();

        assertThat(settings.emulation()).isEqualTo("paper-table2");
        assertThat(settings.destinationBytesPerSecond()).hasValue(25_000_000);
        assertThat(settings.sizes()).containsExactly(1_000_000_000L);
        assertThat(settings.layout()).isEqualTo(Layout.made(3, 3, 3));
    }

    @Test
    void tailEmulationReadsSmallFilesOfEveryMagnitude() {
        LabSettings settings = parse("--emulate", "s3-tail", "--seed", "4");

        assertThat(settings.destinationBytesPerSecond()).isEmpty();
        assertThat(settings.timeScale()).isEqualTo(1);
        assertThat(settings.layout()).isEqualTo(Layout.made(1, 3, 3));
        assertThat(settings.sizes()).hasSize(32).allMatch(size -> size >= 64 << 10 && size <= 8 << 20);
        assertThat(settings.sizes()).anyMatch(size -> size < 256 << 10).anyMatch(size -> size > 4 << 20);
        assertThat(parse("--emulate", "s3-tail", "--seed", "4").sizes()).isEqualTo(settings.sizes());
        assertThat(parse("--emulate", "s3-tail", "--seed", "5").sizes()).isNotEqualTo(settings.sizes());
    }

    @Test
    void everythingCanBeSaid() {
        LabSettings settings = parse(
                "--emulate",
                "20MiB/s",
                "--slow-from",
                "3",
                "--destination",
                "5MB/s",
                "--time-scale",
                "2.5",
                "--modes",
                "rounds",
                "--runs",
                "9",
                "--warm-up",
                "0",
                "--size",
                "7MiB",
                "--n",
                "2",
                "--k",
                "4",
                "--helpers",
                "5");

        assertThat(settings.law()).isPresent();
        assertThat(settings.isSlow(2)).isFalse();
        assertThat(settings.isSlow(3)).isTrue();
        assertThat(settings.destination().orElseThrow().bytesPerSecondAt(0)).isEqualTo(12_500_000);
        assertThat(List.of(settings.runs(), settings.warmUps())).containsExactly(9, 0);
        assertThat(settings.layout()).isEqualTo(Layout.made(2, 4, 5));
        assertThat(settings.modes()).hasSize(1);
        assertThat(parse("--emulate", "none").law()).isEmpty();
    }

    @Test
    void aVolumeIsMeasuredAsItIs() {
        Layout found = new Layout(new Chunking.BySize(1 << 20), 2, 1);
        RaceOptions options = options("--runs", "2", "--size", "3MiB", "--destination", "5MB/s", "--seed", "2");
        options.requireReal();
        LabSettings settings = options.real(found);

        assertThat(settings.layout()).isEqualTo(found);
        assertThat(settings.law()).isEmpty();
        assertThat(settings.timeScale()).isEqualTo(1);
        assertThat(settings.emulation()).isEqualTo("none");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--emulate=none", "--slow-from=1", "--time-scale=2", "--peers", "--n=2", "--k=2", "--helpers=2"})
    void optionThatAVolumeIgnoresIsRefused(String argument) {
        assertThatThrownBy(() -> options(argument).requireReal())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(argument.replaceFirst("=.*", "") + ": not with --volume");
    }

    @Test
    void slowdownWithoutEmulationIsRefused() {
        assertThatThrownBy(() -> parse("--emulate", "none", "--slow-from", "3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("slow-from");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--emulate=fast",
                "--modes=fastest",
                "--runs=0",
                "--size=2..1",
                "--size=x",
                "--size=0",
                "--time-scale=0",
                "--destination=much",
                "--k=0",
                "--n=0",
                "--helpers=65"
            })
    void mistakesAreNamed(String argument) {
        assertThatThrownBy(() -> parse(argument)).isInstanceOf(IllegalArgumentException.class);
    }
}
