package io.cloudmw.helper.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.core.config.Setting;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.helper.standalone.StandaloneConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that {@code docs/configuration.md} lists the settings that the code reads. */
final class ConfigurationDocumentTest {
    private static final Map<String, String> LEAST = Map.of("helper.id", "h", "helper.disk.d.path", "/nowhere");

    private static Map<String, String> documented(String prefix) throws IOException {
        Map<String, String> defaults = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "configuration.md"))) {
            if (line.startsWith("| `" + prefix)) {
                List<String> cells = List.of(line.split("\\|", -1));
                defaults.put(
                        cells.get(1).strip().replace("`", "").replace("<id>", "d"),
                        cells.get(2).strip());
            }
        }
        return defaults;
    }

    private static void check(Settings settings, String prefix) throws IOException {
        Map<String, String> documented = documented(prefix);
        List<Setting> read = settings.known().stream()
                .filter(setting -> setting.key().startsWith(prefix))
                .toList();
        assertThat(read).extracting(Setting::key).containsExactlyInAnyOrderElementsOf(documented.keySet());
        assertThat(read).allSatisfy(setting -> {
            String cell = documented.getOrDefault(setting.key(), "");
            // A default that depends on the machine, or is missing, is described in brackets.
            if (!cell.startsWith("(")) {
                assertThat("`" + setting.defaultValue() + "`").as(setting.key()).isEqualTo(cell);
            }
        });
    }

    @Test
    void everySettingOfAHelperIsDocumentedWithItsDefault() throws IOException {
        Settings settings = Settings.of(LEAST);
        HelperConfig.read(settings);
        settings.finish();
        check(settings, "helper.");
    }

    @Test
    void everySettingOfACoordinatorIsDocumentedWithItsDefault() throws IOException {
        Settings settings = Settings.of(Map.of());
        CoordinatorConfig.read(settings);
        check(settings, "coordinator.");
        check(settings, "cluster.");
    }

    @Test
    void everySettingOfAStandaloneClusterIsDocumentedWithItsDefault() throws IOException {
        Settings settings = Settings.of(Map.of());
        StandaloneConfig.read(settings);
        check(settings, "standalone.");
        assertThat(settings.known())
                .extracting(Setting::key)
                .filteredOn(key -> !key.startsWith("standalone."))
                .containsExactlyInAnyOrder(
                        "coordinator.listen",
                        "cluster.secret-file",
                        "tls.insecure",
                        "tls.authority",
                        "tls.admin-token-file");
    }

    @Test
    void configurationWithoutAnIdOrADiskPathIsRefused() {
        refused(Map.of(), "helper.id");
        refused(Map.of("helper.id", "Not A Name"), "helper.id");
        refused(Map.of("helper.id", "h", "helper.disk.d.domain", "x"), "helper.disk.d.path");
        refused(Map.of("helper.id", "h", "helper.disk.d9.pth", "/x"), "did you mean helper.disk.d9.path?");
        refused(Map.of("helper.id", "h", "helper.disk.UPPER.path", "/x"), "helper.disk.UPPER");
        refused(Map.of("helper.id", "h", "helper.fetch.threads", "0"), "helper.fetch.threads");
        refused(Map.of("helper.id", "h", "helper.s3.throttle", "fast"), "helper.s3.throttle");
    }

    private static void refused(Map<String, String> given, String key) {
        assertThatThrownBy(() -> HelperConfig.read(Settings.of(given)))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(key);
    }
}
