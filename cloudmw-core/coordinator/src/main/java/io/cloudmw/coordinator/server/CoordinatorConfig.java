package io.cloudmw.coordinator.server;

import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.identity.AuthorityOptions;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.coordinator.watch.WatchOptions;
import io.cloudmw.core.audit.AuditFileOptions;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.tls.TlsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The configuration of a coordinator process. See {@code docs/configuration.md}.
 *
 * @param listen port 0: any free one
 * @param catalog created where needed; a table only if the settings say so
 * @param secretFile the cluster's secret; created with a random one if missing
 * @param callThreads how many calls are worked on at once
 * @param callQueue how many calls may wait beyond those; more are refused with {@code OVERLOADED}
 * @param callBytes the most bytes of all their requests; more are refused with {@code OVERLOADED}
 * @param http where the process serves metrics, health and the web page; empty: nowhere
 * @param httpToken the file of the web page's token; empty: the page has none
 * @param tls the encryption of its connections
 * @param authority the cluster's own authority
 * @param audit the file of the audit trail, which the process opens
 */
public record CoordinatorConfig(
        HostPort listen,
        CatalogLocation catalog,
        Path secretFile,
        CoordinatorOptions options,
        WatchOptions watch,
        int callThreads,
        int callQueue,
        long callBytes,
        Optional<HostPort> http,
        Optional<Path> httpToken,
        TlsOptions tls,
        AuthorityOptions authority,
        AuditFileOptions audit) {
    private static final String LISTEN = "coordinator.listen";

    /** Reads the settings under {@code coordinator}. */
    public static CoordinatorConfig read(Settings settings) throws CloudMwException {
        CoordinatorOptions defaults = CoordinatorOptions.defaults();
        CatalogLocation catalog = CatalogLocation.read(settings);
        Duration second = Duration.ofSeconds(1);
        Duration interval = settings.duration(
                "coordinator.heartbeat-interval",
                defaults.heartbeatInterval(),
                Duration.ofMillis(50),
                Duration.ofMinutes(1));
        Duration ttl = settings.duration(
                "coordinator.helper-ttl", defaults.helperTtl(), Duration.ofMillis(150), Duration.ofMinutes(10));
        TlsOptions tls = TlsOptions.read(settings);
        Duration token = tokenTtl(settings, defaults.tokenTtl(), tls.tokenKeyLife());
        Duration abandoned = settings.duration(
                "coordinator.abandoned-after", defaults.abandonedAfter(), second, Duration.ofDays(365));
        if (abandoned.compareTo(token) < 0) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "coordinator.abandoned-after: " + abandoned.toMillis() + " ms (expected: >= coordinator.token-ttl, "
                            + token.toMillis() + " ms)");
        }
        Duration check =
                settings.duration("coordinator.abandoned-check", defaults.abandonedCheck(), second, Duration.ofDays(1));
        Duration snapshots =
                settings.duration("coordinator.snapshots.check", defaults.snapshotCheck(), second, Duration.ofDays(1));
        Duration stores = settings.duration(
                "coordinator.store-check", defaults.storeCheck(), Duration.ofMillis(100), Duration.ofHours(1));
        int recorded = settings.integer("coordinator.recorded-reads", defaults.recordedReads(), 0, 100);
        Optional<HostPort> http = settings.optionalAddress("coordinator.http.listen");
        UpkeepOptions upkeep = upkeep(settings);
        HostPort listen = settings.address(LISTEN, new HostPort("127.0.0.1", 7400));
        tls.requireListen(LISTEN, listen);
        return new CoordinatorConfig(
                listen,
                catalog,
                settings.path("cluster.secret-file", ClusterSecret.DEFAULT_FILE),
                settings.made(
                        "coordinator",
                        () -> new CoordinatorOptions(
                                interval,
                                ttl,
                                token,
                                abandoned,
                                check,
                                snapshots,
                                stores,
                                http.isPresent() ? recorded : 0,
                                upkeep)),
                watch(settings),
                settings.integer("coordinator.call-threads", 16, 1, 1024),
                settings.integer("coordinator.call-queue", 1024, 1, 100_000),
                settings.size(
                        "coordinator.call-bytes",
                        CoordinatorServer.MAX_MESSAGE_BYTES,
                        CoordinatorServer.MAX_MESSAGE_BYTES,
                        1L << 40),
                http,
                settings.optionalPath("coordinator.http.token-file"),
                tls,
                AuthorityOptions.read(settings),
                AuditFileOptions.read(
                        settings,
                        "coordinator",
                        CatalogLocation.directory(settings).resolve("audit.jsonl")));
    }

    /** Reads the life of transfer tokens, which is no longer than that of the keys that sign them. */
    private static Duration tokenTtl(Settings settings, Duration usual, Duration keyLife) throws CloudMwException {
        Duration fallback = usual.compareTo(keyLife) <= 0 ? usual : keyLife;
        return settings.duration("coordinator.token-ttl", fallback, Duration.ofSeconds(1), keyLife);
    }

    private static WatchOptions watch(Settings settings) throws CloudMwException {
        WatchOptions defaults = WatchOptions.defaults();
        return new WatchOptions(
                settings.integer("coordinator.watch.limit", defaults.watchers(), 1, 100_000),
                settings.duration(
                        "coordinator.watch.poll", defaults.poll(), Duration.ofMillis(10), Duration.ofMinutes(1)),
                settings.duration(
                        "coordinator.watch.heartbeat",
                        defaults.heartbeat(),
                        Duration.ofMillis(100),
                        Duration.ofMinutes(1)),
                settings.integer("coordinator.changes.keep", (int) defaults.keep(), 1, 1_000_000_000),
                settings.duration(
                        "coordinator.changes.age", defaults.age(), Duration.ofMinutes(1), Duration.ofDays(365)));
    }

    private static UpkeepOptions upkeep(Settings settings) throws CloudMwException {
        UpkeepOptions defaults = UpkeepOptions.defaults();
        Duration shortest = Duration.ofMillis(100);
        return new UpkeepOptions(
                settings.duration("coordinator.repair-interval", defaults.interval(), shortest, Duration.ofHours(1)),
                settings.duration("coordinator.repair-after", defaults.repairAfter(), shortest, Duration.ofDays(365)),
                settings.duration("coordinator.owed-after", defaults.owedAfter(), shortest, Duration.ofDays(1)),
                settings.duration("coordinator.task-life", defaults.taskLife(), shortest, Duration.ofHours(1)),
                settings.duration(
                        "coordinator.scrub-every", defaults.scrubEvery(), Duration.ofSeconds(1), Duration.ofDays(3650)),
                settings.size("coordinator.scrub-rate", defaults.scrubBytesPerSecond(), 1024, 1L << 40),
                settings.flag("coordinator.collect", defaults.collects()),
                settings.duration(
                        "coordinator.collect-every",
                        defaults.collectEvery(),
                        Duration.ofSeconds(1),
                        Duration.ofDays(365)),
                settings.duration("coordinator.clock-skew", defaults.clockSkew(), shortest, Duration.ofDays(1)),
                settings.integer(
                        "coordinator.compact-below", defaults.compactBelowPercent(), 0, UpkeepOptions.MOST_PERCENT),
                settings.duration(
                        "coordinator.upkeep-ttl", defaults.leaseTerm(), Duration.ofSeconds(5), Duration.ofMinutes(10)));
    }
}
