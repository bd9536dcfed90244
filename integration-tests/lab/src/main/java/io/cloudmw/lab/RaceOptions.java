package io.cloudmw.lab;

import io.cloudmw.cli.command.Modes;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.emulation.ReadSpeed;
import io.cloudmw.lab.race.LabSettings;
import io.cloudmw.lab.race.Layout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code bench race}; defaults depend on the emulation. */
final class RaceOptions {
    private static final String PAPER = "paper-table2";
    private static final String NONE = "none";
    private static final int MIXED_FILES = 32;

    @Option(
            names = "--emulate",
            paramLabel = "LAW",
            description = "speed of stores: paper-table2 (the default), s3-tail, a speed, or none")
    private @Nullable String emulate;

    @Option(names = "--slow-from", paramLabel = "RUN", description = "from this run on all stores are ten times slower")
    private @Nullable Integer slowFrom;

    @Option(
            names = "--destination",
            paramLabel = "RATE",
            description = "speed of the destination (paper-table2: 25MB/s; otherwise none)")
    private @Nullable String destination;

    @Option(
            names = "--time-scale",
            paramLabel = "X",
            description = "how many times faster the emulated clock runs (paper-table2: 8; otherwise 1)")
    private @Nullable Double timeScale;

    @Option(names = "--seed", paramLabel = "N", description = "of all draws and files (default 1)")
    private long seed = 1;

    @Option(names = "--modes", paramLabel = "MODE", split = ",", description = "default: all")
    private List<String> modes = Modes.labels();

    @Option(names = "--peers", description = "other libraries too, once the tests are built")
    private boolean peers;

    @Option(names = "--runs", paramLabel = "N", description = "reads by each (paper-table2: 10; otherwise 400)")
    private @Nullable Integer runs;

    @Option(names = "--warm-up", paramLabel = "N", description = "reads by each before those (1; small files: 20)")
    private @Nullable Integer warmUps;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description = "of the file, or a mix: 64KiB..8MiB (paper-table2: 1GB; otherwise that mix)")
    private @Nullable String size;

    @Option(names = "--n", paramLabel = "N", description = "chunks of each file (paper-table2: 3; otherwise 1)")
    private @Nullable Integer chunks;

    @Option(names = "--k", paramLabel = "K", description = "replicas of each chunk, and stores (default 3)")
    private @Nullable Integer replicas;

    @Option(names = "--helpers", paramLabel = "N", description = "default: k")
    private @Nullable Integer helpers;

    /** Returns the settings for emulated stores. */
    LabSettings emulated() {
        String law = or(emulate, PAPER).strip();
        int copies = or(replicas, 3);
        return settings(law, Layout.made(or(chunks, law.startsWith(PAPER) ? 3 : 1), copies, or(helpers, copies)));
    }

    /** Returns the settings for the stores of a volume, which are not slowed. */
    LabSettings real(Layout found) {
        return settings(NONE, found);
    }

    /**
     * Checks that no option is given that only applies to emulated stores or the lab's own cluster.
     *
     * @throws IllegalArgumentException when such an option is given
     */
    void requireReal() {
        Map<String, Boolean> said = new LinkedHashMap<>();
        said.put("--emulate", emulate != null);
        said.put("--slow-from", slowFrom != null);
        said.put("--time-scale", timeScale != null);
        said.put("--peers", peers);
        said.put("--n", chunks != null);
        said.put("--k", replicas != null);
        said.put("--helpers", helpers != null);
        said.forEach((option, isSaid) -> {
            if (isSaid) {
                throw new IllegalArgumentException(option + ": not with --volume, which reads from real stores");
            }
        });
    }

    private LabSettings settings(String law, Layout layout) {
        boolean paper = law.startsWith(PAPER);
        List<Long> sizes = sizes(or(size, paper ? "1GB" : "64KiB..8MiB"), seed);
        return new LabSettings(
                law,
                law.equals(NONE) ? Optional.empty() : Optional.of(OptionConverters.law("--emulate", law, "")),
                slowFrom == null ? OptionalInt.empty() : OptionalInt.of(slowFrom),
                rate(or(destination, paper ? "25MB/s" : NONE)),
                scale(or(timeScale, paper ? 8.0 : 1.0)),
                seed,
                modes.stream().map(label -> Modes.parse("--modes", label)).toList(),
                peers,
                or(runs, paper ? 10 : 400),
                or(warmUps, sizes.size() > 1 ? 20 : 1),
                sizes,
                layout);
    }

    private static <T> T or(@Nullable T said, T otherwise) {
        return said == null ? otherwise : said;
    }

    private static OptionalLong rate(String text) {
        return text.equals(NONE)
                ? OptionalLong.empty()
                : OptionalLong.of(ReadSpeed.parse(text).minBytesPerSecond());
    }

    private static double scale(double scale) {
        if (!(scale >= 0.001 && scale <= 1000)) {
            throw new IllegalArgumentException("--time-scale: " + scale + " (expected: 0.001..1000)");
        }
        return scale;
    }

    /**
     * Returns the file sizes: one size, or for {@code least..most} several between the two, evenly distributed over
     * orders of magnitude.
     */
    static List<Long> sizes(String text, long seed) {
        int dots = text.indexOf("..");
        if (dots < 0) {
            return List.of(Sizes.parse(text));
        }
        long least = Sizes.parse(text.substring(0, dots));
        long most = Sizes.parse(text.substring(dots + 2));
        if (least < 1 || most < least) {
            throw new IllegalArgumentException("--size: " + text + " (expected: like 64KiB..8MiB)");
        }
        SplittableRandom random = new SplittableRandom(seed);
        return random.doubles(MIXED_FILES)
                .mapToObj(share -> Math.round(least * Math.pow((double) most / least, share)))
                .collect(Collectors.toList());
    }
}
