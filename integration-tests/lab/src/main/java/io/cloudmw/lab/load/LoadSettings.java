package io.cloudmw.lab.load;

import io.cloudmw.core.model.VolumeName;
import java.time.Duration;

/**
 * The settings of a load.
 *
 * @param clients 1 to {@value #MOST_CLIENTS}, each with a thread and connections of its own
 * @param files of each client, 1 to {@value #MOST_FILES}
 * @param sizeBytes of each file, 1 to {@value #MOST_BYTES}
 * @param rangeBytes of a ranged read, at most the size of a file
 * @param pause between two operations of a client
 * @param seed of the bytes and of the places of ranged reads
 */
public record LoadSettings(
        VolumeName volume, int clients, int files, int sizeBytes, int rangeBytes, Duration pause, long seed) {
    static final int MOST_CLIENTS = 64;
    static final int MOST_FILES = 1000;
    static final int MOST_BYTES = 64 << 20;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    public LoadSettings {
        require("--clients", clients, MOST_CLIENTS);
        require("--files", files, MOST_FILES);
        require("--size", sizeBytes, MOST_BYTES);
        require("--range", rangeBytes, sizeBytes);
        if (pause.isNegative() || pause.compareTo(LONGEST_PAUSE) > 0) {
            throw new IllegalArgumentException("--pause: " + pause + " (expected: 0..1m)");
        }
    }

    private static void require(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(option + ": " + value + " (expected: 1.." + most + ")");
        }
    }
}
