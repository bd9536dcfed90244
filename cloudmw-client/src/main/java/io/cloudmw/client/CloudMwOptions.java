package io.cloudmw.client;

import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.fleet.Location;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The settings of a client. Immutable.
 *
 * @param coordinator {@code host:port}; several coordinators of one catalog are {@code host:port,host:port...}, or a name
 *     with several addresses
 * @param coordinatorTimeout largest time of one call while no coordinator answers, so that a shorter restart is survived;
 *     a silent coordinator is left for another one after half of it, or 10 s
 * @param firstAnswerTimeout the same for a coordinator that never answered, whose address may be wrong
 * @param refusedTimeout the same for a coordinator that never answered, while its machine refuses the connection: no process
 *     listens there
 * @param location place of this client; data of switches is read through the nearest one. {@link Location#NONE}: each
 *     switch delivers what belongs to it
 * @param memoryBytes largest number of bytes that all gets of the client have in flight; its puts may have a quarter of
 *     that, so may reads of open files, and so may the kept chunks of streams that are put
 * @param memoryPerGetBytes largest number of bytes that one get has in flight
 * @param linkBytesPerSecond speed of this machine's link, {@link Long#MAX_VALUE}: unlimited; estimates and deadlines use
 *     it, and divide it among simultaneous reads. It limits nothing
 * @param pricing prices for receipts and estimates
 * @param redundancy limits on second attempts of all gets together
 * @param busyPoll longest time that a thread spins for a small read of an open file while such reads follow one another
 *     fast; at most 10 ms; zero: never
 * @param waiting gets a message when the coordinator has not answered for two seconds, and again only after it has answered;
 *     called on a thread of the client that it must not block
 * @param meters registry of the application for the meters of the client; empty: none
 * @param telemetry of the application, for the spans of reads; empty: none
 * @param path by which reads get their bytes, unless a read names another
 * @param packs rules by which puts of small files share stored objects
 * @param security the way in which the client shows for whom it acts, and verifies others
 * @param certificateDirectory where the client keeps the certificate that it gets for a token, for later clients of the
 *     same user; empty: nowhere, and each client gets its own
 */
public record CloudMwOptions(
        String coordinator,
        Duration coordinatorTimeout,
        Duration firstAnswerTimeout,
        Duration refusedTimeout,
        Location location,
        long memoryBytes,
        long memoryPerGetBytes,
        long linkBytesPerSecond,
        Pricing pricing,
        RedundancyLimits redundancy,
        Duration busyPoll,
        Consumer<String> waiting,
        Optional<MeterRegistry> meters,
        Optional<OpenTelemetry> telemetry,
        ReadPath path,
        PackOptions packs,
        ClientSecurity security,
        Optional<Path> certificateDirectory) {
    /** The default address of the coordinator. */
    public static final String DEFAULT_COORDINATOR = "127.0.0.1:7400";

    private static final long MIN_MEMORY_BYTES = 4L << 20;

    /** Checks the values. */
    public CloudMwOptions {
        checkAddresses(coordinator);
        checkTimeout("coordinatorTimeout", coordinatorTimeout);
        checkTimeout("firstAnswerTimeout", firstAnswerTimeout);
        checkTimeout("refusedTimeout", refusedTimeout);
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

    /**
     * The defaults: 30 s for a call, 15 s for a first answer; 16 MiB for one get, half of the heap but at most 64 MiB for
     * all gets; an unlimited link; 500 µs of spinning; no meters and no spans; {@link ClientSecurity#byDefault}.
     */
    public static CloudMwOptions of(String coordinator) {
        long all = Math.max(
                MIN_MEMORY_BYTES, Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 2));
        return new CloudMwOptions(
                coordinator,
                Duration.ofSeconds(30),
                Duration.ofSeconds(15),
                Duration.ofSeconds(15),
                Location.NONE,
                all,
                16L << 20,
                Long.MAX_VALUE,
                Pricing.DEFAULT,
                RedundancyLimits.DEFAULT,
                Duration.ofNanos(500_000),
                waiting -> {},
                Optional.empty(),
                Optional.empty(),
                ReadPath.DEFAULT,
                PackOptions.DEFAULT,
                ClientSecurity.byDefault(),
                Optional.empty());
    }

    /** Sets all timeouts: {@link #coordinatorTimeout}, {@link #firstAnswerTimeout} and {@link #refusedTimeout}. */
    public CloudMwOptions withCoordinatorTimeout(Duration timeout) {
        return with(copy -> {
            copy.coordinatorTimeout = timeout;
            copy.firstAnswerTimeout = timeout;
            copy.refusedTimeout = timeout;
        });
    }

    /** Sets the time to wait where no process listens for a coordinator that never answered. */
    public CloudMwOptions withRefusedTimeout(Duration timeout) {
        return with(copy -> copy.refusedTimeout = timeout);
    }

    /** Sets the place of this client. */
    public CloudMwOptions withLocation(Location here) {
        return with(copy -> copy.location = here);
    }

    /** Sets the memory of all gets together, and of one get. */
    public CloudMwOptions withMemory(long allBytes, long perGetBytes) {
        return with(copy -> {
            copy.memoryBytes = allBytes;
            copy.memoryPerGetBytes = perGetBytes;
        });
    }

    /** Sets the speed of this machine's link. */
    public CloudMwOptions withLink(long bytesPerSecond) {
        return with(copy -> copy.linkBytesPerSecond = bytesPerSecond);
    }

    /** Sets the prices for receipts and estimates. */
    public CloudMwOptions withPricing(Pricing prices) {
        return with(copy -> copy.pricing = prices);
    }

    /** Sets the limits on second attempts. */
    public CloudMwOptions withRedundancy(RedundancyLimits budget) {
        return with(copy -> copy.redundancy = budget);
    }

    /** Sets the longest time to spin for a small read; zero: never. */
    public CloudMwOptions withBusyPoll(Duration longest) {
        return with(copy -> copy.busyPoll = longest);
    }

    /** Sets the listener for a coordinator that does not answer. */
    public CloudMwOptions withWaiting(Consumer<String> listener) {
        return with(copy -> copy.waiting = listener);
    }

    /**
     * Reports the meters of the client in a registry of the application, under the names of {@code docs/metrics.md}.
     * Closing the client removes its meters; the application closes the registry.
     *
     * @param registry for one client: several clients need a registry each, for instance a composite with a common tag
     */
    public CloudMwOptions withMeters(MeterRegistry registry) {
        return with(copy -> copy.meters = Optional.of(registry));
    }

    /**
     * Makes spans of reads, as in {@code docs/traces.md}. A read's parent is the span that is current on the thread that
     * starts the read. Helpers and switches make spans of their own below it, if they have an SDK.
     *
     * @param openTelemetry of the application, which closes it
     */
    public CloudMwOptions withOpenTelemetry(OpenTelemetry openTelemetry) {
        return with(copy -> copy.telemetry = Optional.of(openTelemetry));
    }

    /** Sets the path by which reads get their bytes, unless a read names another. */
    public CloudMwOptions withPath(ReadPath byDefault) {
        return with(copy -> copy.path = byDefault);
    }

    /** Sets the rules by which puts of small files share stored objects. */
    public CloudMwOptions withPacks(PackOptions rules) {
        return with(copy -> copy.packs = rules);
    }

    /** Sets the way in which the client shows for whom it acts. */
    public CloudMwOptions withSecurity(ClientSecurity identity) {
        return with(copy -> copy.security = identity);
    }

    /**
     * Sets the directory in which the client keeps the certificate that it gets for a token. It saves short-lived processes
     * a call. The directory is made when it is needed; one that cannot be written keeps nothing.
     */
    public CloudMwOptions withCertificateDirectory(Path directory) {
        return with(copy -> copy.certificateDirectory = Optional.of(directory));
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
        private Duration refusedTimeout;
        private Location location;
        private long memoryBytes;
        private long memoryPerGetBytes;
        private long linkBytesPerSecond;
        private Pricing pricing;
        private RedundancyLimits redundancy;
        private Duration busyPoll;
        private Consumer<String> waiting;
        private Optional<MeterRegistry> meters;
        private Optional<OpenTelemetry> telemetry;
        private ReadPath path;
        private PackOptions packs;
        private ClientSecurity security;
        private Optional<Path> certificateDirectory;

        Copy(CloudMwOptions from) {
            this.coordinator = from.coordinator;
            this.coordinatorTimeout = from.coordinatorTimeout;
            this.firstAnswerTimeout = from.firstAnswerTimeout;
            this.refusedTimeout = from.refusedTimeout;
            this.location = from.location;
            this.memoryBytes = from.memoryBytes;
            this.memoryPerGetBytes = from.memoryPerGetBytes;
            this.linkBytesPerSecond = from.linkBytesPerSecond;
            this.pricing = from.pricing;
            this.redundancy = from.redundancy;
            this.busyPoll = from.busyPoll;
            this.waiting = from.waiting;
            this.meters = from.meters;
            this.telemetry = from.telemetry;
            this.path = from.path;
            this.packs = from.packs;
            this.security = from.security;
            this.certificateDirectory = from.certificateDirectory;
        }

        CloudMwOptions made() {
            return new CloudMwOptions(
                    coordinator,
                    coordinatorTimeout,
                    firstAnswerTimeout,
                    refusedTimeout,
                    location,
                    memoryBytes,
                    memoryPerGetBytes,
                    linkBytesPerSecond,
                    pricing,
                    redundancy,
                    busyPoll,
                    waiting,
                    meters,
                    telemetry,
                    path,
                    packs,
                    security,
                    certificateDirectory);
        }
    }
}
