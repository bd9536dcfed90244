package io.cloudmw.coordinator.watch;

import java.time.Duration;

/**
 * How changes are kept and told.
 *
 * @param watchers at once; more are refused
 * @param poll how often it is looked, while somebody watches a volume, for what other coordinators changed in it
 * @param heartbeat after this long without anything to tell a watcher is told its position
 * @param keep so many changes of each volume at least, unless they are older
 * @param age older changes are not kept
 */
public record WatchOptions(int watchers, Duration poll, Duration heartbeat, long keep, Duration age) {
    public WatchOptions {
        requirePositive("watchers", watchers);
        requirePositive("poll", poll.toMillis());
        requirePositive("heartbeat", heartbeat.toMillis());
        requirePositive("keep", keep);
        requirePositive("age", age.toMillis());
    }

    /** 256 watchers, polls every 200 ms, heartbeats every 5 s, 100,000 changes of 7 days. */
    public static WatchOptions defaults() {
        return new WatchOptions(256, Duration.ofMillis(200), Duration.ofSeconds(5), 100_000, Duration.ofDays(7));
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= 1)");
        }
    }
}
