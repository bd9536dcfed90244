package io.cloudmw.helper;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.disk.DiskChunkStore;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.trace.Telemetry;
import io.cloudmw.core.trace.Traces;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.testing.StallingStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A cluster of helpers in this process without a coordinator. Each helper has one disk, which is admitted. */
final class HelperCluster implements AutoCloseable {
    static final FilePath FILE = FilePath.parse("vol:/file");

    final List<HelperServer> helpers = new ArrayList<>();
    final List<SimpleMeterRegistry> meters = new ArrayList<>();
    final VersionId version = VersionId.random();
    private final ClusterSecret secret = ClusterSecret.of(new byte[32]);

    /**
     * @param stalls for each helper, the bytes after which its disk stalls, at least 1024; negative for never;
     *     StallingStore.PUTS for puts
     */
    HelperCluster(Path directory, Map<String, String> more, int... stalls) throws CloudMwException {
        this(directory, more, Traces.tracer(OpenTelemetry.noop()), stalls);
    }

    /** @param tracer receives the spans of all helpers */
    HelperCluster(Path directory, Map<String, String> more, Tracer tracer, int... stalls) throws CloudMwException {
        for (int i = 0; i < stalls.length; i++) {
            Map<String, String> settings = new HashMap<>(Map.of(
                    "helper.id",
                    "h" + i,
                    "helper.coordinator",
                    "127.0.0.1:1",
                    "helper.spool.dir",
                    directory.resolve("spool-" + i).toString(),
                    "helper.disk.d" + i + ".path",
                    directory.resolve("disk-" + i).toString(),
                    "helper.disk.d" + i + ".reserve",
                    "0"));
            if (stalls[i] >= 0) {
                settings.put("helper.disk.d" + i + ".throttle", stalls[i] + "B/s");
            }
            settings.put("tls.insecure", "true");
            settings.putAll(more);
            DiskChunkStore.open(new StoreId("d" + i), directory.resolve("disk-" + i), 0, path -> Long.MAX_VALUE)
                    .close();
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            meters.add(registry);
            helpers.add(HelperServer.start(
                    HelperConfig.read(Settings.of(settings)),
                    secret,
                    store -> {
                        // Buckets that deny access or do not answer, by their region.
                        boolean refuses = store.failureDomain().equals("refusing");
                        throw new CloudMwException(
                                refuses ? ErrorCode.STORE_DENIED : ErrorCode.STORE_UNAVAILABLE, "no S3 here");
                    },
                    (disk, config) -> config.throttle()
                            .<ChunkStore>map(law -> new StallingStore(disk, (int) law.bytesPerSecondAt(0)))
                            .orElse(disk),
                    new Telemetry(registry, tracer)));
        }
    }

    TransferToken token(TransferRight right) {
        return token(right, version);
    }

    TransferToken token(TransferRight right, VersionId other) {
        long inAnHour = WallClock.system().millis() + 3_600_000;
        return tokens().issue(new TransferClaims(Set.of(right), FILE, other, inAnHour));
    }

    TransferTokens tokens() {
        return new TransferTokens(secret, WallClock.system());
    }

    List<HelperAddress> addresses() {
        return helpers.stream().map(HelperServer::address).toList();
    }

    List<Store> stores() {
        return helpers.stream().flatMap(helper -> helper.disks().stream()).toList();
    }

    @Override
    public void close() {
        helpers.forEach(HelperServer::close);
    }
}
