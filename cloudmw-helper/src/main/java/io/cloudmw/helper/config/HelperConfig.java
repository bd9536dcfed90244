package io.cloudmw.helper.config;

import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.audit.AuditFileOptions;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.schedule.ScheduleLimits;
import io.cloudmw.core.tls.TlsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The configuration of a helper. See {@code docs/configuration.md}.
 *
 * @param location the region and zone it runs in
 * @param addresses the addresses it listens on and advertises
 * @param switching the settings of a switch
 * @param s3Throttle slows reads from S3 down, for demonstrations
 * @param storeCheck time between two probes of a bucket
 * @param http the address that serves metrics and health; empty for none
 * @param tls the encryption of its connections
 * @param audit the file of the audit trail
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
        Optional<HostPort> http,
        TlsOptions tls,
        AuditFileOptions audit) {
    /** Direct memory of the two event loops, which each allocate 16 MiB at a time. */
    private static final long FRAMES_BYTES = 32L << 20;

    private static final long LEAST_RATE = 1L << 10;
    private static final long HIGHEST_RATE = 1L << 40;

    public HelperConfig {
        disks = List.copyOf(disks);
    }

    /**
     * The addresses on which a helper listens, and by which others reach it.
     *
     * @param control the address of the control plane (gRPC)
     * @param bulk the address of the bulk plane
     */
    public record Addresses(AddressPolicy.SocketSettings control, AddressPolicy.SocketSettings bulk) {
        private static Addresses read(Settings settings, String prefix) throws CloudMwException {
            return new Addresses(wish(settings, prefix, "control"), wish(settings, prefix, "bulk"));
        }

        private static AddressPolicy.SocketSettings wish(Settings settings, String prefix, String plane)
                throws CloudMwException {
            String listen = prefix + "." + plane + ".listen";
            String host = prefix + ".advertise-host";
            return new AddressPolicy.SocketSettings(
                    listen,
                    settings.optionalAddress(listen),
                    host,
                    settings.text(host, ""),
                    settings.integer(prefix + "." + plane + ".advertise-port", 0, 0, 65_535));
        }
    }

    /**
     * The settings of a switch and its cache.
     *
     * @param volumes the volumes it is a switch for
     * @param memoryBytes direct memory for leaves
     * @param disk directory of the cache's disk tier, which survives a restart; empty for none
     * @param diskBytes limit of the disk tier
     * @param children switches below it that may get the same block at once
     * @param reads blocks that it serves at once
     * @param warmings concurrent warm-ups
     * @param busyPoll time for which an event loop polls for the next of several small reads; zero for none
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
     * The limits of a helper.
     *
     * @param upkeep chunks copied, verified or deleted at once for the coordinator
     * @param storeThreads threads that read and write disks for others
     */
    public record Limits(
            BufferLimits buffers,
            FetchLimits fetch,
            TransferLimits transfers,
            WriteLimits writes,
            ReadLimits reads,
            Received upkeep,
            int storeThreads) {}

    /**
     * The limits of buffers for fetched blocks.
     *
     * @param spoolBytes limit of the spool
     * @param memoryBytes limit of direct memory
     * @param memoryBlockBytes longest block kept in memory
     */
    public record BufferLimits(Path spoolDirectory, long spoolBytes, long memoryBytes, long memoryBlockBytes) {}

    /**
     * The limits of attempts at stores.
     *
     * @param threads concurrent attempts, each with a connection to a bucket
     * @param extraThreads concurrent attempts that make up for late ones, each with a connection of its own
     * @param warmConnections connections to each bucket that are kept open for extra attempts
     * @param schedule limits of the queue, in all and for each client, and the rates of clients and volumes
     * @param longestWait time for which an attempt waits for a thread, then for room in the spool, then for a stream
     * @param relayIdle time after which the blocks of a reader that takes nothing may be reclaimed
     */
    public record FetchLimits(
            int threads,
            int extraThreads,
            int warmConnections,
            ScheduleLimits schedule,
            Duration longestWait,
            Duration relayIdle) {}

    /**
     * The limits of transfers.
     *
     * @param transfers concurrent transfers
     * @param clientTransfers concurrent transfers of one client
     * @param blocks issued to one transfer and not yet delivered or withdrawn
     */
    public record TransferLimits(int transfers, int clientTransfers, int blocks) {}

    /**
     * The limits of writes.
     *
     * @param uploads chunks that clients send
     * @param copies chunks that only this helper writes
     * @param late chunks whose missing copies are written after they were acknowledged
     * @param silence time for which the sender of a chunk may send nothing
     */
    public record WriteLimits(Received uploads, Received copies, Received late, Duration silence) {}

    /**
     * The limits of reads from this helper's disks.
     *
     * @param reads concurrent reads
     * @param silence time for which a reader may take nothing
     */
    public record ReadLimits(int reads, Duration silence) {}

    /**
     * The limits of one kind of chunks: how many at once, and their share of the spool directory.
     */
    public record Received(int chunks, long spoolBytes) {}

    /**
     * Checks that the configured memory fits into direct memory, since connections fail when it runs out.
     *
     * @param bytes direct memory that this process may take
     * @throws CloudMwException {@code INVALID_ARGUMENT}, with the setting and the largest value that fits
     */
    public void requireFits(long bytes) throws CloudMwException {
        boolean serves = !switching.volumes().equals(VolumeSet.NONE);
        long others = FRAMES_BYTES + (serves ? limits.buffers().memoryBytes() : 0);
        long wanted = serves ? switching.memoryBytes() : limits.buffers().memoryBytes();
        if (wanted > bytes - others) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    (serves ? "helper.cache.memory: " : "helper.memory.limit: ") + Sizes.format(wanted)
                            + " (expected: <= " + Sizes.approximate(Math.max(0, bytes - others)) + ", since of "
                            + Sizes.approximate(bytes) + " of direct memory " + Sizes.approximate(FRAMES_BYTES)
                            + " are for what is on its way"
                            + (serves
                                    ? " and "
                                            + Sizes.approximate(limits.buffers().memoryBytes())
                                            + " helper.memory.limit's"
                                    : "")
                            + "; -XX:MaxDirectMemorySize in CLOUDMW_JAVA_OPTS gives more)");
        }
    }

    /** Reads the settings below {@code helper}. */
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
     * Reads the settings below a prefix.
     *
     * @param prefix {@code helper}, unless several helpers are configured
     */
    static HelperConfig read(Settings settings, String prefix, HelperId id) throws CloudMwException {
        HostPorts coordinator =
                settings.read(prefix + ".coordinator", "127.0.0.1:7400", "host:port[,host:port...]", HostPorts::parse);
        Limits limits = limits(settings, prefix, spool(id, coordinator));
        return new HelperConfig(
                id,
                coordinator,
                Addresses.read(settings, prefix),
                settings.read(prefix + ".location", "", Location.FORM, Location::parse),
                disks(settings, prefix, id),
                limits,
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
                settings.optionalAddress(prefix + ".http.listen"),
                TlsOptions.read(settings),
                AuditFileOptions.read(
                        settings, prefix, auditFile(limits.buffers().spoolDirectory())));
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

    /**
     * The default spool directory. The path names the cluster, since helpers of several clusters may share an id on one
     * machine.
     */
    private static Path spool(HelperId id, HostPorts coordinator) {
        String cluster = coordinator.all().get(0).toString().replaceAll("[^A-Za-z0-9.]+", "-");
        return Path.of(System.getProperty("java.io.tmpdir"), "cloudmw-spool-" + cluster + "-" + id);
    }

    /** The default file of the audit trail, in a directory beside the spool, which is emptied at each start. */
    private static Path auditFile(Path spool) {
        Path directory = spool.toAbsolutePath();
        return directory.resolveSibling(directory.getFileName() + "-audit").resolve("calls-audit.jsonl");
    }

    private static Limits limits(Settings settings, String prefix, Path spool) throws CloudMwException {
        return new Limits(
                new BufferLimits(
                        settings.optionalPath(prefix + ".spool.dir").orElse(spool),
                        settings.size(prefix + ".spool.limit", 8L << 30, 1L << 20, 1L << 50),
                        settings.size(prefix + ".memory.limit", 24L << 20, 0, 1L << 40),
                        settings.size(prefix + ".memory.block-limit", 4L << 20, 0, 1L << 30)),
                new FetchLimits(
                        settings.integer(prefix + ".fetch.threads", 64, 1, 1024),
                        settings.integer(prefix + ".fetch.extra-threads", 16, 1, 1024),
                        settings.integer(prefix + ".fetch.warm-connections", 4, 0, 1024),
                        schedule(settings, prefix + ".schedule"),
                        upToAnHour(settings, prefix + ".fetch.wait", Duration.ofMinutes(1)),
                        upToAnHour(settings, prefix + ".relay.idle", Duration.ofSeconds(30))),
                new TransferLimits(
                        settings.integer(prefix + ".transfers.limit", 2048, 1, 100_000),
                        settings.integer(prefix + ".transfers.client-limit", 192, 1, 100_000),
                        settings.integer(prefix + ".transfers.blocks", 64, 1, 4096)),
                new WriteLimits(
                        received(settings, prefix + ".uploads", 32, 4L << 30),
                        received(settings, prefix + ".copies", 32, 4L << 30),
                        received(settings, prefix + ".late", 32, 4L << 30),
                        upToAnHour(settings, prefix + ".uploads.silence", Duration.ofSeconds(60))),
                new ReadLimits(
                        settings.integer(prefix + ".reads.limit", 256, 1, 4096),
                        upToAnHour(settings, prefix + ".reads.silence", Duration.ofMinutes(2))),
                received(settings, prefix + ".upkeep", 2, 2L << 30),
                settings.integer(prefix + ".store.threads", 16, 1, 1024));
    }

    /** A time-out between 100 ms and an hour. */
    private static Duration upToAnHour(Settings settings, String key, Duration standard) throws CloudMwException {
        return settings.duration(key, standard, Duration.ofMillis(100), Duration.ofHours(1));
    }

    private static ScheduleLimits schedule(Settings settings, String prefix) throws CloudMwException {
        return new ScheduleLimits(
                settings.integer(prefix + ".queue", 16_384, 1, 1_000_000),
                settings.integer(prefix + ".client-queue", 4096, 1, 1_000_000),
                rate(settings, prefix + ".client-rate"),
                rate(settings, prefix + ".volume-rate"));
    }

    /** A rate in bytes per second. */
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
                    path.orElseThrow(() -> new CloudMwException(
                            ErrorCode.INVALID_ARGUMENT, key + ".path: missing (expected: the disk's directory)")),
                    domain,
                    reserve,
                    throttle,
                    false));
        }
        return disks;
    }

    /**
     * The same configuration with disks that replace lost ones.
     *
     * @param replaced ids of disks
     * @throws CloudMwException {@code INVALID_ARGUMENT} when this helper has no such disk
     */
    public HelperConfig replacing(List<String> replaced) throws CloudMwException {
        for (String wanted : replaced) {
            if (disks.stream().noneMatch(disk -> disk.id().value().equals(wanted))) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "--replace-disk: " + wanted + ": not a disk of helper " + id + " (expected: one of "
                                + disks.stream().map(DiskConfig::id).toList() + ")");
            }
        }
        List<DiskConfig> all = disks.stream()
                .map(disk -> replaced.contains(disk.id().value()) ? disk.replacing() : disk)
                .toList();
        return new HelperConfig(
                id,
                coordinator,
                addresses,
                location,
                all,
                limits,
                race,
                switching,
                s3Throttle,
                storeCheck,
                http,
                tls,
                audit);
    }

    private static Optional<StoreLaw> throttle(Settings settings, String key) throws CloudMwException {
        return settings.optional(key, "a law like " + StoreLaw.FORMS, StoreLaw::parse);
    }
}
