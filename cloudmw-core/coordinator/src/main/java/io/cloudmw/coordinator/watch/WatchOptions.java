package io.cloudmw.coordinator.watch;

import java.time.Duration;

/**
 * The limits and intervals of watches and of the change log.
 *
 * @param watchers how many at once; more are refused
 * @param poll how often a watched volume is checked for changes of other coordinators
 * @param heartbeat the time without changes after which a watcher hears its position
 * @param keep how many changes of each volume are kept at least, unless they are older than {@code age}
 * @param age the age beyond which changes are pruned
 */
public record WatchOptions(int watchers, Duration poll, Duration heartbeat, long keep, Duration age) {
    public WatchOptions {
        requirePositive("watchers", watchers);
        requirePositive("poll", poll.toMillis());
        requirePositive("heartbeat", heartbeat.toMillis());
        requirePositive("keep", keep);
        requirePositive("age", age.toMillis());
    }

    /** Returns the defaults: 256 watchers, polls every 200 ms, heartbeats every 5 s, 100,000 changes of 7 days. */
    public static WatchOptions defaults() {
        return new WatchOptions(256, Duration.ofMillis(200), Duration.ofSeconds(5), 100_000, Duration.ofDays(7));
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= 1)");
        }
    }
}
