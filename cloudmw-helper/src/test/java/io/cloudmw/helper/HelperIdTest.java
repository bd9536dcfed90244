package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.trace.Telemetry;
import io.cloudmw.helper.config.HelperConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of two helpers with the same id at a coordinator whose leases outlast the test. */
final class HelperIdTest {
    @TempDir
    private Path directory;

    @Test
    void secondHelperWithTheSameIdIsRefusedUntilTheFirstHasLeft() throws Exception {
        Map<String, String> settings = Map.of(
                "coordinator.listen",
                "127.0.0.1:0",
                "coordinator.data-dir",
                directory.resolve("data").toString(),
                "coordinator.helper-ttl",
                "10m",
                "coordinator.heartbeat-interval",
                "100ms",
                "cluster.secret-file",
                directory.resolve("secret").toString(),
                "tls.insecure",
                "true");
        try (CoordinatorServer coordinator = CoordinatorServer.start(CoordinatorConfig.read(Settings.of(settings)))) {
            try (HelperServer first = helper(coordinator, "d1")) {
                assertThat(first.registered()).succeedsWithin(30, TimeUnit.SECONDS);
                try (HelperServer second = helper(coordinator, "d9")) {
                    assertThat(second.registered())
                            .failsWithin(30, TimeUnit.SECONDS)
                            .withThrowableThat()
                            .havingCause()
                            .isInstanceOfSatisfying(
                                    CloudMwException.class,
                                    refused -> assertThat(refused.code()).isEqualTo(ErrorCode.ALREADY_EXISTS))
                            .withMessageContaining(first.address().control());
                }
            }
            try (HelperServer third = helper(coordinator, "d1")) {
                assertThat(third.registered()).succeedsWithin(30, TimeUnit.SECONDS);
            }
        }
    }

    private HelperServer helper(CoordinatorServer coordinator, String disk) throws CloudMwException {
        Settings settings = Settings.of(Map.of(
                "tls.insecure",
                "true",
                "helper.id",
                "h1",
                "helper.coordinator",
                coordinator.address().toString(),
                "helper.spool.dir",
                directory.resolve("spool-" + disk).toString(),
                "helper.disk." + disk + ".path",
                directory.resolve(disk).toString()));
        return HelperServer.start(
                HelperConfig.read(settings),
                ClusterSecret.readOrCreate(directory.resolve("secret")),
                store -> {
                    throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "no S3 here");
                },
                (store, config) -> store,
                Telemetry.of(new SimpleMeterRegistry()));
    }
}
