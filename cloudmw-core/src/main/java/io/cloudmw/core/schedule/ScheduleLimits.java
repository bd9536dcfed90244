package io.cloudmw.core.schedule;

import java.util.OptionalLong;

/**
 * The limits of a {@link FairScheduler}'s queues and rates.
 *
 * @param queue the most waiting items in all
 * @param clientQueue the most of one client
 * @param clientBytesPerSecond cap for each client; empty: none
 * @param volumeBytesPerSecond cap for each volume; empty: none
 */
public record ScheduleLimits(
        int queue, int clientQueue, OptionalLong clientBytesPerSecond, OptionalLong volumeBytesPerSecond) {
    public ScheduleLimits {
        if (queue < 1) {
            throw new IllegalArgumentException("queue: " + queue + " (expected: >= 1)");
        }
        if (clientQueue < 1) {
            throw new IllegalArgumentException("clientQueue: " + clientQueue + " (expected: >= 1)");
        }
        require("clientBytesPerSecond", clientBytesPerSecond);
        require("volumeBytesPerSecond", volumeBytesPerSecond);
    }

    /** Limits with bounded queues and no caps. */
    public static ScheduleLimits uncapped(int queue, int clientQueue) {
        return new ScheduleLimits(queue, clientQueue, OptionalLong.empty(), OptionalLong.empty());
    }

    private static void require(String name, OptionalLong rate) {
        if (rate.isPresent() && rate.getAsLong() < 1) {
            throw new IllegalArgumentException(name + ": " + rate.getAsLong() + " (expected: >= 1)");
        }
    }
}
