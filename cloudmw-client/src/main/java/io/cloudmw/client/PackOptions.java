package io.cloudmw.client;

import java.time.Duration;

/**
 * The rules by which puts of small files share stored objects, packs, and calls. They apply to puts of many files, and
 * to single puts that come close together. Immutable.
 *
 * @param limitBytes the largest file that shares a pack; 0: none does
 * @param delay the time that a put waits for others that come close behind it, while another put or pack of the volume
 *     is on its way; otherwise it does not wait
 */
public record PackOptions(long limitBytes, Duration delay) {
    /** The largest limit: one MiB. */
    public static final long MAX_LIMIT_BYTES = 1 << 20;

    /** Files of up to one MiB, which wait for two milliseconds. */
    public static final PackOptions DEFAULT = new PackOptions(MAX_LIMIT_BYTES, Duration.ofMillis(2));

    /** No file shares a pack. */
    public static final PackOptions NONE = new PackOptions(0, Duration.ZERO);

    public PackOptions {
        if (limitBytes < 0 || limitBytes > MAX_LIMIT_BYTES) {
            throw new IllegalArgumentException("limitBytes: " + limitBytes + " (expected: 0.." + MAX_LIMIT_BYTES + ")");
        }
        if (delay.isNegative() || delay.compareTo(Duration.ofSeconds(1)) > 0) {
            throw new IllegalArgumentException("delay: " + delay + " (expected: 0 to 1 second)");
        }
    }
}
