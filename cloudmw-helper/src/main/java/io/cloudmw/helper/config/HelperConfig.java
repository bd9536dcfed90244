package io.cloudmw.helper.config;

import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeSet;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.schedule.ScheduleLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a helper is told before it starts. See {@code docs/configuration.md}.
 *
 * @param location where it runs
 * @param addresses where it listens, and what it advertises
 * @param switching what it serves to many
 * @param s3Throttle how slow reads from S3 are to be, for demonstrations
 * @param storeCheck how often each bucket is asked whether it can be used
 * @param http where metrics and health are served; empty: nowhere
 */
public record HelperConfig(
        HelperId id,
        HostPorts coordinator,
        Addresses addresses,
        Location location,
        List<DiskConfig> disks,
        Limits limits,
        RacePolicy race,
        Switching switching,
        Optional<StoreLaw> s3Throttle,
        Duration storeCheck,
        Optional<HostPort> http) {
    /** What event loops take besides, in pieces of 16 MiB: one of each of the two is always there. */
    private static final long FRAMES_BYTES = 32L << 20;

    private static final long LEAST_RATE = 1L << 10;
    private static final long HIGHEST_RATE = 1L << 40;

    public HelperConfig {
        disks = List.copyOf(disks);
    }

    /**
     * Where a helper listens, and where others reach it.
     *
     * @param control where it serves gRPC
     * @param bulk where it serves the bulk plane
     */
    public record Addresses(AddressPolicy.Wish control, AddressPolicy.Wish bulk) {
        private static Addresses read(Settings settings, String prefix) throws CloudMwException {
            return new Addresses(wish(settings, prefix, "control"), wish(settings, prefix, "bulk"));
        }

        private static AddressPolicy.Wish wish(Settings settings, String prefix, String plane) throws CloudMwException {
            String listen = prefix + "." + plane + ".listen";
            String host = prefix + ".advertise-host";
            return new AddressPolicy.Wish(
                    listen,
                    settings.optionalAddress(listen),
                    host,
                    settings.text(host, ""),
                    settings.integer(prefix + "." + plane + ".advertise-port", 0, 0, 65_535));
        }
    }

    /**
     * What a helper serves to many, and keeps for it.
     *
     * @param volumes that it is a switch for
     * @param memoryBytes direct memory for leaves
     * @param disk where leaves are kept over a restart; empty: nowhere
     * @param diskBytes of those
     * @param children switches below it that it gives one block to at once
     * @param reads blocks that it gives to switches below it at once
     * @param warmings files that clients have it fetch before anybody reads them, at once
     * @param busyPoll how long it stays awake for the next small read while such follow one another; zero: never
     */
    public record Switching(
            VolumeSet volumes,
            long memoryBytes,
            Optional<Path> disk,
            long diskBytes,
            int children,
            int reads,
            int warmings,
            Duration busyPoll) {}

    /**
     * What a helper may use.
     *
     * @param spoolBytes for blocks on their way, in the spool directory
     * @param uploads chunks that clients send
     * @param copies chunks for this helper's own disks
     * @param late chunks whose missing copies are still written after they were acknowledged
     * @param upkeep chunks copied, verified or deleted at once because the coordinator says so
     * @param silence how long whoever sends a chunk may send nothing
     * @param readSilence how long whoever reads a disk may take nothing
     * @param memoryBytes direct memory for blocks kept in memory
     * @param memoryBlockBytes longest block kept in memory
     * @param fetchThreads attempts that run at once, and connections to buckets for them
     * @param extraThreads attempts besides that make up for late ones, and connections to buckets for them
     * @param warmConnections of those to each bucket that are kept open
     * @param schedule attempts that may wait for a thread, in all and of each client, and the caps of clients and volumes
     * @param fetchWait how long an attempt waits for a thread, then for room in the spool, then for a stream
     * @param relayIdle how long a reader has taken nothing whose blocks may have to make room for others
     */
    public record Limits(
            Path spoolDirectory,
            long spoolBytes,
            long memoryBytes,
            long memoryBlockBytes,
            int fetchThreads,
            int extraThreads,
            int warmConnections,
            ScheduleLimits schedule,
            Duration fetchWait,
            Duration relayIdle,
            int transfers,
            int clientTransfers,
            int blocks,
            Received uploads,
            Received copies,
            Received late,
            Received upkeep,
            Duration silence,
            int reads,
            Duration readSilence,
            int storeThreads) {}

    /**
     * How many chunks of one kind may be received at once, and what they may use of the spool directory.
     */
    public record Received(int chunks, long spoolBytes) {}

    /**
     * Refuses to keep more in memory than there is: what was taken beyond it would end connections.
     *
     * @param bytes direct memory this process may take
     * @throws CloudMwException {@code INVALID_ARGUMENT}, naming the setting and what fits
     */
    public void requireFits(long bytes) throws CloudMwException {
        boolean serves = !switching.volumes().equals(VolumeSet.NONE);
        long others = FRAMES_BYTES + (serves ? limits.memoryBytes() : 0);
        long wanted = serves ? switching.memoryBytes() : limits.memoryBytes();
        if (wanted > bytes - others) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    (serves ? "helper.cache.memory: " : "helper.memory.limit: ") + Sizes.format(wanted)
                            + " (expected: <= " + Sizes.approximate(Math.max(0, bytes - others)) + ", since of "
                            + Sizes.approximate(bytes) + " of direct memory " + Sizes.approximate(FRAMES_BYTES)
                            + " are for what is on its way"
                            + (serves
                                    ? " and " + Sizes.approximate(limits.memoryBytes()) + " helper.memory.limit's"
                                    : "")
                            + "; -XX:MaxDirectMemorySize in CLOUDMW_JAVA_OPTS gives more)");
        }
    }

    /** Reads the settings of the helper called {@code helper.id}. */
    public static HelperConfig read(Settings settings) throws CloudMwException {
        HelperId id;
        String name = settings.requiredText("helper.id");
        try {
            id = new HelperId(name);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "helper.id: " + e.getMessage(), e);
        }
        return read(settings, "helper", id);
    }

    /**
     * Reads the settings under {@code prefix}.
     *
     * @param prefix {@code helper}, where only one is configured
     */
    static HelperConfig read(Settings settings, String prefix, HelperId id) throws CloudMwException {
        HostPorts coordinator =
                settings.read(prefix + ".coordinator", "127.0.0.1:7400", "host:port[,host:port...]", HostPorts::parse);
        return new HelperConfig(
                id,
                coordinator,
                Addresses.read(settings, prefix),
                settings.read(prefix + ".location", "", Location.FORM, Location::parse),
                disks(settings, prefix, id),
                limits(settings, prefix, spool(id, coordinator)),
                new RacePolicy(
                        settings.duration(
                                        prefix + ".race.yield-timeout",
                                        Duration.ofSeconds(1),
                                        Duration.ofMillis(10),
                                        Duration.ofMinutes(1))
                                .toNanos(),
                        settings.integer(prefix + ".race.max-held-blocks", 2, 1, 64)),
                switching(settings, prefix),
                throttle(settings, prefix + ".s3.throttle"),
                settings.duration(
                        prefix + ".store-check", Duration.ofMinutes(1), Duration.ofMillis(100), Duration.ofHours(1)),
                settings.optionalAddress(prefix + ".http.listen"));
    }

    private static Switching switching(Settings settings, String prefix) throws CloudMwException {
        return new Switching(
                settings.read(prefix + ".switch.volumes", "", "names of volumes, or *", VolumeSet::parse),
                settings.size(prefix + ".cache.memory", 32L << 20, 1L << 20, 1L << 40),
                settings.optionalPath(prefix + ".cache.disk.dir"),
                settings.size(prefix + ".cache.disk.limit", 10L << 30, 1L << 20, 1L << 50),
                settings.integer(prefix + ".switch.children", 8, 1, 1024),
                settings.integer(prefix + ".switch.reads", 1024, 1, 65_536),
                settings.integer(prefix + ".switch.warmings", 32, 1, 4096),
                settings.duration(
                        prefix + ".switch.busy-poll",
                        Duration.ofNanos(500_000),
                        Duration.ZERO,
                        BulkOptions.LONGEST_BUSY_POLL));
    }

    /** Helpers of several clusters on one machine may have the same id. */
    private static Path spool(HelperId id, HostPorts coordinator) {
        String cluster = coordinator.all().get(0).toString().replaceAll("[^A-Za-z0-9.]+", "-");
        return Path.of(System.getProperty("java.io.tmpdir"), "cloudmw-spool-" + cluster + "-" + id);
    }

    private static Limits limits(Settings settings, String prefix, Path spool) throws CloudMwException {
        return new Limits(
                settings.optionalPath(prefix + ".spool.dir").orElse(spool),
                settings.size(prefix + ".spool.limit", 8L << 30, 1L << 20, 1L << 50),
                settings.size(prefix + ".memory.limit", 24L << 20, 0, 1L << 40),
                settings.size(prefix + ".memory.block-limit", 4L << 20, 0, 1L << 30),
                settings.integer(prefix + ".fetch.threads", 64, 1, 1024),
                settings.integer(prefix + ".fetch.extra-threads", 16, 1, 1024),
                settings.integer(prefix + ".fetch.warm-connections", 4, 0, 1024),
                schedule(settings, prefix + ".schedule"),
                settings.duration(
                        prefix + ".fetch.wait", Duration.ofMinutes(1), Duration.ofMillis(100), Duration.ofHours(1)),
                settings.duration(
                        prefix + ".relay.idle", Duration.ofSeconds(30), Duration.ofMillis(100), Duration.ofHours(1)),
                settings.integer(prefix + ".transfers.limit", 2048, 1, 100_000),
                settings.integer(prefix + ".transfers.client-limit", 192, 1, 100_000),
                settings.integer(prefix + ".transfers.blocks", 64, 1, 4096),
                received(settings, prefix + ".uploads", 32, 4L << 30),
                received(settings, prefix + ".copies", 32, 4L << 30),
                received(settings, prefix + ".late", 32, 4L << 30),
                received(settings, prefix + ".upkeep", 2, 2L << 30),
                settings.duration(
                        prefix + ".uploads.silence",
                        Duration.ofSeconds(60),
                        Duration.ofMillis(100),
                        Duration.ofHours(1)),
                settings.integer(prefix + ".reads.limit", 256, 1, 4096),
                settings.duration(
                        prefix + ".reads.silence", Duration.ofMinutes(2), Duration.ofMillis(100), Duration.ofHours(1)),
                settings.integer(prefix + ".store.threads", 16, 1, 1024));
    }

    private static ScheduleLimits schedule(Settings settings, String prefix) throws CloudMwException {
        return new ScheduleLimits(
                settings.integer(prefix + ".queue", 16_384, 1, 1_000_000),
                settings.integer(prefix + ".client-queue", 4096, 1, 1_000_000),
                rate(settings, prefix + ".client-rate"),
                rate(settings, prefix + ".volume-rate"));
    }

    /** Bytes in a second. */
    private static OptionalLong rate(Settings settings, String key) throws CloudMwException {
        return settings
                .optional(key, "a size like 64MiB, 1KiB..1TiB", text -> {
                    long bytes = Sizes.parse(text);
                    if (bytes < LEAST_RATE || bytes > HIGHEST_RATE) {
                        throw new IllegalArgumentException("out of bounds: " + bytes);
                    }
                    return bytes;
                })
                .stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    private static Received received(Settings settings, String prefix, int limit, long spoolBytes)
            throws CloudMwException {
        return new Received(
                settings.integer(prefix + ".limit", limit, 1, 4096),
                settings.size(prefix + ".spool", spoolBytes, 1L << 20, 1L << 50));
    }

    private static List<DiskConfig> disks(Settings settings, String prefix, HelperId id) throws CloudMwException {
        List<DiskConfig> disks = new ArrayList<>();
        for (String name : settings.names(prefix + ".disk")) {
            String key = prefix + ".disk." + name;
            StoreId store;
            try {
                store = new StoreId(name);
            } catch (IllegalArgumentException e) {
                throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, key + ": " + e.getMessage(), e);
            }
            Optional<Path> path = settings.optionalPath(key + ".path");
            String domain = settings.text(key + ".domain", id.value());
            long reserve = settings.size(key + ".reserve", 1L << 30, 0, 1L << 50);
            Optional<StoreLaw> throttle = throttle(settings, key + ".throttle");
            settings.refuseUnknown(key);
            disks.add(new DiskConfig(
                    store,
                    path.orElseThrow(() -> new CloudMwException(ErrorCode.INVALID_ARGUMENT, key + ".path: missing")),
                    domain,
                    reserve,
                    throttle,
                    false));
        }
        return disks;
    }

    /**
     * The same with disks that are in the place of lost ones.
     *
     * @param replaced ids of disks
     * @throws CloudMwException {@code INVALID_ARGUMENT} when one is no disk of this helper
     */
    public HelperConfig replacing(List<String> replaced) throws CloudMwException {
        for (String wanted : replaced) {
            if (disks.stream().noneMatch(disk -> disk.id().value().equals(wanted))) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "--replace-disk: " + wanted + " is no disk of helper " + id + " (expected: one of "
                                + disks.stream().map(DiskConfig::id).toList() + ")");
            }
        }
        List<DiskConfig> all = disks.stream()
                .map(disk -> replaced.contains(disk.id().value()) ? disk.replacing() : disk)
                .toList();
        return new HelperConfig(
                id, coordinator, addresses, location, all, limits, race, switching, s3Throttle, storeCheck, http);
    }

    private static Optional<StoreLaw> throttle(Settings settings, String key) throws CloudMwException {
        return settings.optional(key, "a law like " + StoreLaw.FORMS, StoreLaw::parse);
    }
}
