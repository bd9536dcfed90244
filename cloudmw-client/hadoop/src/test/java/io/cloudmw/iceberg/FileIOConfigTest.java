package io.cloudmw.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.nio.ClusterUri;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class FileIOConfigTest {
    @Test
    void propertiesAreRead() {
        FileIOConfig config = FileIOConfig.read(Map.of(
                "cloudmw.coordinator", "h:1",
                "cloudmw.coordinator.timeout", "2m",
                "cloudmw.memory", "1G",
                "cloudmw.vectored.merge", "0",
                "cloudmw.vectored.largest", "4m",
                "cloudmw.write.buffer", "1000",
                "cloudmw.delete.parallel", "2",
                "s3.endpoint", "elsewhere"));
        assertThat(config.standard().coordinatorTimeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(config.standard().memoryBytes()).isEqualTo(1 << 30);
        assertThat(config.ranges().mergeBytes()).isEqualTo(0);
        assertThat(config.ranges().largestBytes()).isEqualTo(4 << 20);
        assertThat(config.ranges().parallel()).isEqualTo(8);
        assertThat(config.writes().bufferBytes()).isEqualTo(1000);
        assertThat(config.deleteParallel()).isEqualTo(2);
    }

    @Test
    void locationWithoutCoordinatorsHasThoseOfTheProperties() {
        FileIOConfig config = FileIOConfig.read(Map.of("cloudmw.coordinator", "h:1"));
        assertThat(config.of(ClusterUri.of(URI.create("cloudmw:///lake/a"))).coordinators())
                .isEqualTo("h:1");
        assertThat(config.of(ClusterUri.of(URI.create("cloudmw://g:2/lake/a"))).coordinators())
                .isEqualTo("g:2");
    }

    private static void assertRefused(String key, String value, String message) {
        assertThatThrownBy(() -> FileIOConfig.read(Map.of(key, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void wrongPropertiesAreRefused() {
        assertRefused("cloudmw.cordinator", "h:1", "cloudmw.cordinator: unknown property (expected: one of [cloudmw.");
        assertRefused("cloudmw.memory", "much", "cloudmw.memory: much (expected: bytes, like 65536 or 64k)");
        assertRefused("cloudmw.memory", "1k", "cloudmw.memory: 1024 (expected: >= 4194304)");
        assertRefused("cloudmw.memory", "99999999999t", "cloudmw.memory: 99999999999t (expected: bytes");
        assertRefused("cloudmw.vectored.parallel", "0", "cloudmw.vectored.parallel: 0 (expected: 1..256)");
        assertRefused("cloudmw.delete.parallel", "all", "cloudmw.delete.parallel: all (expected: 1..64)");
        assertRefused("cloudmw.coordinator.timeout", "0s", "cloudmw.coordinator.timeout: 0s (expected: more than 0s");
        assertRefused("cloudmw.coordinator.timeout", "soon", "cloudmw.coordinator.timeout: soon (expected:");
    }

    @Test
    void pageListsKeysAndDefaults() throws IOException {
        List<String> listed = Files.readAllLines(Path.of("../../docs/iceberg.md")).stream()
                .filter(line -> line.startsWith("| `" + IcebergSetting.PREFIX))
                .map(line -> line.split("\\|", -1))
                .map(cells -> cells[1].trim() + " " + cells[2].trim())
                .collect(Collectors.toList());
        List<String> known = Arrays.stream(IcebergSetting.values())
                .map(each -> "`" + each.key() + "` " + (each.standard().isEmpty() ? "" : "`" + each.standard() + "`"))
                .map(String::trim)
                .collect(Collectors.toList());
        assertThat(listed.stream().map(String::trim).collect(Collectors.toList()))
                .containsExactlyElementsOf(known);
    }
}
