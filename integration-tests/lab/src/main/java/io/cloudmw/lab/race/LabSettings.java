package io.cloudmw.lab.race;

import io.cloudmw.core.emulation.ReadSpeed;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.model.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The settings of {@code bench race}.
 *
 * @param emulation the name of {@code law}, for the report
 * @param law how every store answers, each with draws of its own; empty: as it does
 * @param slowFrom from this run on every store is ten times as slow; empty: never
 * @param destinationBytesPerSecond what the destination takes; empty: all it gets
 * @param timeScale the emulated clock runs this many times as fast
 * @param runs measured reads of each contender
 * @param warmUps reads of each contender before those, under the same conditions
 * @param sizes of the files; run r reads file r modulo their number
 */
public record LabSettings(
        String emulation,
        Optional<StoreLaw> law,
        OptionalInt slowFrom,
        OptionalLong destinationBytesPerSecond,
        double timeScale,
        long seed,
        List<Mode> modes,
        boolean peers,
        int runs,
        int warmUps,
        List<Long> sizes,
        Layout layout) {
    public LabSettings {
        modes = List.copyOf(modes);
        sizes = List.copyOf(sizes);
        between("runs", runs, 1, 1_000_000);
        between("warm-up", warmUps, 0, 10_000);
        for (long size : sizes) {
            if (size < 1) {
                throw new IllegalArgumentException("size: " + size + " (expected: >= 1)");
            }
        }
        if (slowFrom.isPresent() && law.isEmpty()) {
            throw new IllegalArgumentException("slow-from: nothing is emulated that could be slower");
        }
        if (modes.isEmpty() && !peers) {
            throw new IllegalArgumentException("modes: none (expected: at least one)");
        }
    }

    static void between(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
    }

    /** How store number {@code store} answers in run {@code run}: the same for every contender. */
    public Optional<StoreLaw> law(int run, int store) {
        return law.map(every -> every.withSeed((seed * 1_000_003 + run) * 1_009 + store))
                .map(own -> isSlow(run) ? own.slowed(Duration.ZERO, 10) : own)
                .map(own -> own.faster(timeScale));
    }

    /** What the destination takes, on the emulated clock; empty: all it gets. */
    public Optional<StoreLaw> destination() {
        return destinationBytesPerSecond.isPresent()
                ? Optional.of(ReadSpeed.constant(destinationBytesPerSecond.getAsLong())
                        .faster(timeScale))
                : Optional.empty();
    }

    /** Whether the stores are ten times as slow as usual. */
    public boolean isSlow(int run) {
        return slowFrom.isPresent() && run >= slowFrom.getAsInt();
    }
}
