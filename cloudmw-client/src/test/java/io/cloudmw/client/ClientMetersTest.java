package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.metrics.BulkMetrics;
import io.cloudmw.core.metrics.ClientMetrics;
import io.cloudmw.core.model.FilePath;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meters of a client in the registry of its application. */
final class ClientMetersTest {
    private static final FilePath FILE = FilePath.parse("vol:/a");

    @TempDir
    private Path directory;

    @Test
    void applicationReadsMetersInItsOwnRegistryUntilTheClientIsClosed() throws Exception {
        SimpleMeterRegistry application = new SimpleMeterRegistry();
        application.counter("own").increment();
        try (FakeCluster cluster =
                new FakeCluster(1 << 20, 64 << 10, FakeHelper.Script.SERVE, directory.resolve("nothing"), 16L << 20)) {
            cluster.put(FILE, 300_000, 1);
            CloudMwOptions options =
                    CloudMwOptions.of(cluster.coordinator().address()).withMeters(application);
            try (CloudMw client = CloudMw.connect(options)) {
                Path copy = directory.resolve("copy");
                client.files().get(FILE, copy, GetOptions.defaults()).get(60, SECONDS);
                assertThatThrownBy(() -> client.files()
                        .get(FilePath.parse("vol:/none"), copy, GetOptions.defaults())
                        .get(60, SECONDS));
                await().untilAsserted(() -> {
                    assertThat(count(application, ClientMetrics.OK)).isEqualTo(1);
                    assertThat(count(application, "NOT_FOUND")).isEqualTo(1);
                });
                assertThat(application
                                .get(ClientMetrics.BYTES)
                                .tag(ClientMetrics.OPERATION, "get")
                                .counter()
                                .count())
                        .isEqualTo(300_000);
                assertThat(application.get(BulkMetrics.RECEIVED).counter().count())
                        .isGreaterThanOrEqualTo(300_000);
                assertThat(client.receivedBytes()).isGreaterThanOrEqualTo(300_000);
                await().until(() ->
                        application.get(ClientMetrics.RUNNING).gauge().value() == 0);
            }
        }
        assertThat(application.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactly("own");
        assertThat(application.isClosed()).isFalse();
    }

    private static long count(SimpleMeterRegistry meters, String code) {
        var timer = meters.find(ClientMetrics.TRANSFERS)
                .tag(ClientMetrics.OPERATION, "get")
                .tag(ClientMetrics.CODE, code)
                .timer();
        return timer == null ? 0 : timer.count();
    }
}
