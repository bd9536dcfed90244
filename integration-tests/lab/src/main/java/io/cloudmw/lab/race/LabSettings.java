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
 * @param law the speed of every store, drawn for each store separately; empty: not slowed
 * @param slowFrom the run from which every store is ten times as slow; empty: never
 * @param destinationBytesPerSecond the speed of the destination; empty: unlimited
 * @param timeScale how many times faster than real time the emulated clock runs
 * @param runs measured reads of each contender
 * @param warmUps unmeasured reads of each contender before those, under the same conditions
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
            throw new IllegalArgumentException("slow-from: only with emulated stores (--emulate other than none)");
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

    /** Returns the speed of a store in a run, which is the same for every contender. */
    public Optional<StoreLaw> law(int run, int store) {
        return law.map(every -> every.withSeed((seed * 1_000_003 + run) * 1_009 + store))
                .map(own -> isSlow(run) ? own.slowed(Duration.ZERO, 10) : own)
                .map(own -> own.faster(timeScale));
    }

    /** Returns the speed of the destination, on the emulated clock; empty: unlimited. */
    public Optional<StoreLaw> destination() {
        return destinationBytesPerSecond.isPresent()
                ? Optional.of(ReadSpeed.constant(destinationBytesPerSecond.getAsLong())
                        .faster(timeScale))
                : Optional.empty();
    }

    /** Returns whether the stores are ten times as slow as usual in a run. */
    public boolean isSlow(int run) {
        return slowFrom.isPresent() && run >= slowFrom.getAsInt();
    }
}
