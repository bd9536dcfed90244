package io.cloudmw.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.fleet.Location;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class CloudMwOptionsTest {
    @Test
    void eachSetterLeavesOtherOptionsUnchanged() {
        ClientSecurity security = ClientSecurity.tokenFile(Path.of("token"));
        CloudMwOptions defaults = CloudMwOptions.of("host:1");
        RedundancyLimits budget = RedundancyLimits.ofShare(0.5);
        Location here = Location.parse("zone/rack");
        Consumer<String> listener = what -> {};
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        OpenTelemetry telemetry = OpenTelemetry.noop();
        CloudMwOptions all = defaults.withCoordinatorTimeout(Duration.ofSeconds(7))
                .withLocation(here)
                .withMemory(8L << 20, 4L << 20)
                .withLink(1000)
                .withRedundancy(budget)
                .withBusyPoll(Duration.ofMillis(1))
                .withWaiting(listener)
                .withPricing(defaults.pricing())
                .withMeters(registry)
                .withOpenTelemetry(telemetry)
                .withPath(ReadPath.DIRECT)
                .withPacks(PackOptions.NONE)
                .withSecurity(security)
                .withCertificateDirectory(Path.of("certificates"));
        assertThat(all)
                .isEqualTo(new CloudMwOptions(
                        "host:1",
                        Duration.ofSeconds(7),
                        Duration.ofSeconds(7),
                        Duration.ofSeconds(7),
                        here,
                        8L << 20,
                        4L << 20,
                        1000,
                        defaults.pricing(),
                        budget,
                        Duration.ofMillis(1),
                        listener,
                        Optional.of(registry),
                        Optional.of(telemetry),
                        ReadPath.DIRECT,
                        PackOptions.NONE,
                        security,
                        Optional.of(Path.of("certificates"))));
        assertThat(defaults.linkBytesPerSecond()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void longBusyPollIsRefused() {
        CloudMwOptions defaults = CloudMwOptions.of("host:1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withBusyPoll(Duration.ofMillis(11)))
                .withMessage("busyPoll: 11ms (expected: 0s..10ms)");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withBusyPoll(Duration.ofMillis(-1)));
    }
}
