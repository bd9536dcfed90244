package io.cloudmw.client.cli.torture;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What is done.
 *
 * @param duration of changing, reading and breaking; making the fleet and checking everything at the end come besides
 * @param seed of everything that is drawn
 * @param clients each changes files of its own and some it shares with all, and reads everybody's
 * @param helpers each with a disk
 * @param bytes that may be put altogether; what is put beyond the share of the time that passed is small
 */
public record TortureSettings(
        Duration duration, long seed, int clients, int helpers, long bytes, Path launcher, boolean terminal) {
    /** Copies of each chunk. */
    static final int REPLICAS = 3;
    /** Copies that are durable when a put is acknowledged: at most one less may be out of reach at once. */
    static final int WRITE_QUORUM = 2;

    private static final int MAX_CLIENTS = 32;
    private static final int MAX_HELPERS = 16;

    public TortureSettings {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException("minutes: " + duration + " (expected: > 0)");
        }
        between("clients", clients, 1, MAX_CLIENTS);
        between("helpers", helpers, REPLICAS, MAX_HELPERS);
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 1)");
        }
    }

    private static void between(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
    }

    /** What repeats the run, as far as threads and processes let it. */
    String command() {
        return "./cloudmw torture --minutes " + duration.toMillis() / 60_000.0 + " --seed " + seed + " --clients "
                + clients + " --helpers " + helpers + " --bytes " + bytes;
    }
}
