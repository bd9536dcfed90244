package io.cloudmw.helper.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the settings in {@code infra/modules} are those of the processes. */
final class TerraformSettingsTest {
    private static final Pattern KEY = Pattern.compile("\"((?:helper|coordinator|cluster|tls)\\.[a-z0-9.{}-]+)\" *=");

    /** Values like those that an instance fills in. */
    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("cluster.secret-file", "/var/lib/cloudmw/cluster.secret"),
            Map.entry("tls.authority", "/var/lib/cloudmw/authority.pem"),
            Map.entry("tls.admin-token-file", "/var/lib/cloudmw/admin.token"),
            Map.entry("coordinator.listen", "0.0.0.0:7400"),
            Map.entry("coordinator.http.listen", "0.0.0.0:7480"),
            Map.entry("coordinator.data-dir", "/var/lib/cloudmw/coordinator"),
            Map.entry("coordinator.catalog", "dynamodb:demo-catalog"),
            Map.entry("coordinator.catalog-region", "eu-central-1"),
            Map.entry("helper.id", "demo-helpers-eu-central-1a-0"),
            Map.entry("helper.coordinator", "demo-crd-0123456789abcdef.elb.eu-central-1.amazonaws.com:7400"),
            Map.entry("helper.control.listen", "0.0.0.0:7410"),
            Map.entry("helper.bulk.listen", "0.0.0.0:7420"),
            Map.entry("helper.http.listen", "127.0.0.1:7481"),
            Map.entry("helper.location", "eu-central-1a/demo-helpers-eu-central-1a-0"),
            Map.entry("helper.spool.dir", "/var/lib/cloudmw/helper/spool"),
            Map.entry("helper.cache.memory", "1952MiB"),
            Map.entry("helper.disk.demo-helpers-eu-central-1a-0.path", "/var/lib/cloudmw/helper/disk/chunks"),
            Map.entry("helper.disk.demo-helpers-eu-central-1a-0.domain", "eu-central-1a"),
            Map.entry("helper.switch.volumes", "media,sets"),
            Map.entry("helper.cache.disk.dir", "/var/lib/cloudmw/helper/cache"),
            Map.entry("helper.cache.disk.limit", "200GiB"));

    private static Settings settings(String module) throws IOException {
        String source = Files.readString(Path.of("..", "infra", "modules", module, "main.tf"));
        Set<String> keys = new TreeSet<>();
        KEY.matcher(source)
                .results()
                .map(found -> found.group(1).replace("{id}", "demo-helpers-eu-central-1a-0"))
                .forEach(keys::add);
        assertThat(keys).as("settings in the module %s", module).contains("cluster.secret-file");
        assertThat(VALUES.keySet()).as("this test has a value for each").containsAll(keys);
        Map<String, String> given = new TreeMap<>(VALUES);
        given.keySet().retainAll(keys);
        return Settings.of(given);
    }

    @Test
    void helperTakesTheSettingsOfItsModule() throws Exception {
        Settings settings = settings("helper-fleet");

        HelperConfig config = HelperConfig.read(settings);
        Path secret = settings.path("cluster.secret-file", Path.of("none"));
        settings.finish();

        assertThat(secret).hasToString("/var/lib/cloudmw/cluster.secret");
        assertThat(config.disks())
                .singleElement()
                .satisfies(disk -> assertThat(disk.path()).hasToString("/var/lib/cloudmw/helper/disk/chunks"));
        assertThat(config.addresses().control())
                .extracting(AddressPolicy.SocketSettings::listen)
                .hasToString("Optional[0.0.0.0:7410]");
        // A quarter of the memory of an m7g.large is direct memory (MaxDirectMemorySize), of which the cache has all
        // but
        // 96 MiB.
        config.requireFits(2048L << 20);
    }

    @Test
    void coordinatorTakesTheSettingsOfItsModule() throws Exception {
        Settings settings = settings("coordinator");

        CoordinatorConfig config = CoordinatorConfig.read(settings);
        settings.finish();

        assertThat(config.listen().port()).isEqualTo(7400);
        assertThat(config.http())
                .hasValueSatisfying(http -> assertThat(http.port()).isEqualTo(7480));
        assertThat(config.catalog().toString()).contains("demo-catalog");
        assertThat(config.authority().file()).hasToString("/var/lib/cloudmw/authority.pem");
        assertThat(config.authority().adminToken()).hasToString("/var/lib/cloudmw/admin.token");
    }
}
