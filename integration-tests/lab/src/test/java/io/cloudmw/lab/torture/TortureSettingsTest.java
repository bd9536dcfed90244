package io.cloudmw.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.lab.fleet.LiveOutput;
import io.cloudmw.lab.torture.TortureSettings.Coordinators;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TortureSettingsTest {
    private static TortureSettings settings(Coordinators coordinators) {
        return new TortureSettings(
                Duration.ofMinutes(3), 7, 4, 4, coordinators, 1000, Path.of("cloudmw"), LiveOutput.NONE);
    }

    @Test
    void singleCoordinatorHasAFile() {
        Coordinators one = new Coordinators(1, "sqlite", "", "");
        assertThat(one.names()).containsExactly("coordinator");
        assertThat(one.settings()).isEqualTo(Map.of("coordinator.catalog", "sqlite"));
        assertThat(settings(one).command())
                .isEqualTo("./cloudmw torture --minutes 3.0 --seed 7 --clients 4 --helpers 4 --bytes 1000");
    }

    @Test
    void severalShareATable() {
        Coordinators three = new Coordinators(3, "dynamodb:t", "http://127.0.0.1:8000", "eu-west-1");
        assertThat(three.names()).containsExactly("coordinator-1", "coordinator-2", "coordinator-3");
        assertThat(three.settings())
                .isEqualTo(Map.of(
                        "coordinator.catalog", "dynamodb:t",
                        "coordinator.catalog-create", "true",
                        "coordinator.catalog-endpoint", "http://127.0.0.1:8000",
                        "coordinator.catalog-region", "eu-west-1"));
        assertThat(settings(three).command())
                .endsWith(" --coordinators 3 --catalog dynamodb:t --catalog-endpoint http://127.0.0.1:8000"
                        + " --catalog-region eu-west-1");
    }
}
