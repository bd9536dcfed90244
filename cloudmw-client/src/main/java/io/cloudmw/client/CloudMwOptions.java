package io.cloudmw.client;

import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.fleet.Location;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The options of a client. Immutable.
 *
 * @param coordinator {@code host:port}; where several share a catalog, {@code host:port,host:port...} or a name that has
 *     several addresses
 * @param coordinatorTimeout how long one call may take altogether while the coordinator does not answer: a restart of
 *     it within this time is survived; of several, one that is silent is left after half of it, or 10 s
 * @param firstAnswerTimeout the same for a coordinator that never answered, whose address may be wrong
 * @param location where it runs: what a volume's switches serve is read through the one that is nearest; none: from each what
 *     belongs to it
 * @param memoryBytes bytes all gets of the client together may have in flight; its puts may have a quarter as much, and so may
 *     what is read of files that are open
 * @param memoryPerGetBytes bytes one get may have in flight
 * @param linkBytesPerSecond what this machine's link takes in a second, {@link Long#MAX_VALUE}: anything; what a read is
 *     expected to take, and so how one with a deadline is read, counts with it: reads under way at once have equal shares. It limits nothing
 * @param pricing by which receipts are priced
 * @param redundancy what all gets of the client together may spend on second attempts
 * @param busyPoll how long who waits for a small read of an open file stays awake for it, and the event loop that it comes by, while such
 *     reads follow one another faster than threads are put to sleep and woken; at most 10 ms, zero: never
 * @param waiting told, on a thread of the client's it must not block, that the coordinator has not answered for two
 *     seconds and how long it will be waited for; again only after it has answered
 */
public record CloudMwOptions(
        String coordinator,
        Duration coordinatorTimeout,
        Duration firstAnswerTimeout,
        Location location,
        long memoryBytes,
        long memoryPerGetBytes,
        long linkBytesPerSecond,
        Pricing pricing,
        RedundancyLimits redundancy,
        Duration busyPoll,
        Consumer<String> waiting) {
    public static final String DEFAULT_COORDINATOR = "127.0.0.1:7400";

    private static final long MIN_MEMORY_BYTES = 4L << 20;

    public CloudMwOptions {
        checkAddresses(coordinator);
        checkTimeout("coordinatorTimeout", coordinatorTimeout);
        checkTimeout("firstAnswerTimeout", firstAnswerTimeout);
        if (memoryBytes < MIN_MEMORY_BYTES) {
            throw new IllegalArgumentException(
                    "memoryBytes: " + memoryBytes + " (expected: >= " + MIN_MEMORY_BYTES + ")");
        }
        if (memoryPerGetBytes < MIN_MEMORY_BYTES) {
            throw new IllegalArgumentException(
                    "memoryPerGetBytes: " + memoryPerGetBytes + " (expected: >= " + MIN_MEMORY_BYTES + ")");
        }
        checkLink(linkBytesPerSecond);
        if (busyPoll.isNegative() || busyPoll.compareTo(BulkOptions.LONGEST_BUSY_POLL) > 0) {
            throw new IllegalArgumentException("busyPoll: " + Durations.format(busyPoll) + " (expected: 0s.."
                    + Durations.format(BulkOptions.LONGEST_BUSY_POLL) + ")");
        }
    }

    private static void checkTimeout(String name, Duration timeout) {
        if (timeout.toMillis() < 1) {
            throw new IllegalArgumentException(name + ": " + Durations.format(timeout) + " (expected: >= 1ms)");
        }
    }

    static void checkLink(long bytesPerSecond) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("linkBytesPerSecond: " + bytesPerSecond + " (expected: >= 1)");
        }
    }

    private static void checkAddresses(String coordinator) {
        try {
            HostPorts unused = HostPorts.parse(coordinator);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "coordinator: \"" + coordinator + "\" (expected: host:port[,host:port...])", e);
        }
    }

    /** The defaults: 30 s, but 15 s for a first answer; 16 MiB for one get, and half of the heap's size, but at most 64 MiB, for all; any link; awake for 500 µs. */
    public static CloudMwOptions of(String coordinator) {
        long all = Math.max(
                MIN_MEMORY_BYTES, Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 2));
        return new CloudMwOptions(
                coordinator,
                Duration.ofSeconds(30),
                Duration.ofSeconds(15),
                Location.NONE,
                all,
                16L << 20,
                Long.MAX_VALUE,
                Pricing.DEFAULT,
                RedundancyLimits.DEFAULT,
                Duration.ofNanos(500_000),
                waiting -> {});
    }

    /** Sets both: how long a call waits, and how long for a coordinator that never answered. */
    public CloudMwOptions withCoordinatorTimeout(Duration timeout) {
        return with(copy -> {
            copy.coordinatorTimeout = timeout;
            copy.firstAnswerTimeout = timeout;
        });
    }

    public CloudMwOptions withLocation(Location here) {
        return with(copy -> copy.location = here);
    }

    public CloudMwOptions withMemory(long allBytes, long perGetBytes) {
        return with(copy -> {
            copy.memoryBytes = allBytes;
            copy.memoryPerGetBytes = perGetBytes;
        });
    }

    public CloudMwOptions withLink(long bytesPerSecond) {
        return with(copy -> copy.linkBytesPerSecond = bytesPerSecond);
    }

    public CloudMwOptions withPricing(Pricing prices) {
        return with(copy -> copy.pricing = prices);
    }

    public CloudMwOptions withRedundancy(RedundancyLimits budget) {
        return with(copy -> copy.redundancy = budget);
    }

    public CloudMwOptions withBusyPoll(Duration longest) {
        return with(copy -> copy.busyPoll = longest);
    }

    public CloudMwOptions withWaiting(Consumer<String> listener) {
        return with(copy -> copy.waiting = listener);
    }

    private CloudMwOptions with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.made();
    }

    /** The same values, to be changed before they are options again. */
    private static final class Copy {
        private final String coordinator;
        private Duration coordinatorTimeout;
        private Duration firstAnswerTimeout;
        private Location location;
        private long memoryBytes;
        private long memoryPerGetBytes;
        private long linkBytesPerSecond;
        private Pricing pricing;
        private RedundancyLimits redundancy;
        private Duration busyPoll;
        private Consumer<String> waiting;

        Copy(CloudMwOptions from) {
            this.coordinator = from.coordinator;
            this.coordinatorTimeout = from.coordinatorTimeout;
            this.firstAnswerTimeout = from.firstAnswerTimeout;
            this.location = from.location;
            this.memoryBytes = from.memoryBytes;
            this.memoryPerGetBytes = from.memoryPerGetBytes;
            this.linkBytesPerSecond = from.linkBytesPerSecond;
            this.pricing = from.pricing;
            this.redundancy = from.redundancy;
            this.busyPoll = from.busyPoll;
            this.waiting = from.waiting;
        }

        CloudMwOptions made() {
            return new CloudMwOptions(
                    coordinator,
                    coordinatorTimeout,
                    firstAnswerTimeout,
                    location,
                    memoryBytes,
                    memoryPerGetBytes,
                    linkBytesPerSecond,
                    pricing,
                    redundancy,
                    busyPoll,
                    waiting);
        }
    }
}
