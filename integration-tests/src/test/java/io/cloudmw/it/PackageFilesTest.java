package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.config.HelperConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the files that the packages install: settings exist, memory fits the limits of the units, and the document
 * names everything. {@code package.sh} installs and runs them.
 */
final class PackageFilesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path SOURCES = ROOT.resolve("cloudmw-dist/src");
    private static final long MIB = 1 << 20;
    /** Memory of a JVM beside heap and direct memory: code, classes, stacks, the collector. */
    private static final long JVM_BYTES = 256 * MIB;

    @TempDir
    private Path directory;

    private static String unit(String role) throws IOException {
        return Files.readString(SOURCES.resolve("systemd/cloudmw-" + role + ".service"));
    }

    private static String only(String unit, String key) {
        List<String> values = unit.lines()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .toList();
        assertThat(values).as(key).hasSize(1);
        return values.get(0);
    }

    private static String environment(String role) throws IOException {
        return Files.readString(SOURCES.resolve("etc/" + role + ".env"));
    }

    /** Returns the bytes that follow an option, such as {@code 256m}. */
    private static long bytes(String text, String option) {
        Matcher found =
                Pattern.compile(Pattern.quote(option) + "(\\d+)([mgMG])").matcher(text);
        assertThat(found.find()).as(option + " in " + text).isTrue();
        return Long.parseLong(found.group(1)) * (found.group(2).equalsIgnoreCase("g") ? 1024 * MIB : MIB);
    }

    /** Reads a file of settings in which the suggestions are in force, too. */
    private Settings settings(String role) throws IOException, CloudMwException {
        String all = Files.readString(SOURCES.resolve("etc/" + role + ".properties"))
                .replaceAll("(?m)^#([a-z0-9.-]+=)", "$1");
        Path file = Files.writeString(directory.resolve(role + ".properties"), all);
        Settings settings = Settings.load(Optional.of(file), Map.of(), Map.of());
        assertThat(settings.text("cluster.secret-file", "")).startsWith("/var/lib/cloudmw/");
        return settings;
    }

    @Test
    void everySettingOfTheCoordinatorsFileExists() throws Exception {
        Settings settings = settings("coordinator");
        CoordinatorConfig config = CoordinatorConfig.read(settings);
        settings.finish();
        assertThat(config.http()).as("the unit asks whether it is ready").isPresent();
        assertThat(config.authority().file()).hasToString("/var/lib/cloudmw/authority.pem");
        assertThat(config.authority().adminToken()).hasToString("/var/lib/cloudmw/admin.token");
    }

    @Test
    void everySettingOfTheHelpersFileExistsAndFitsIntoItsDirectMemory() throws Exception {
        Settings settings = settings("helper");
        HelperConfig config = HelperConfig.read(settings);
        settings.finish();
        assertThat(config.http()).as("the unit asks whether it is ready").isPresent();
        config.requireFits(bytes(environment("helper"), "-XX:MaxDirectMemorySize="));
    }

    @ParameterizedTest
    @ValueSource(strings = {"coordinator", "helper"})
    void memoryOfTheProcessFitsIntoTheLimitOfItsUnit(String role) throws IOException {
        String environment = environment(role);
        long needed = bytes(environment, "-Xmx") + bytes(environment, "-XX:MaxDirectMemorySize=") + JVM_BYTES;

        assertThat(bytes(unit(role), "MemoryMax=")).isGreaterThanOrEqualTo(needed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"coordinator", "helper"})
    void unitRunsTheCommandWithTheFilesOfThePackageAndWithoutRights(String role) throws IOException {
        String unit = unit(role);
        assertThat(only(unit, "ExecStart"))
                .isEqualTo("/usr/bin/cloudmw " + role + " --config /etc/cloudmw/" + role + ".properties");
        assertThat(only(unit, "EnvironmentFile")).isEqualTo("/etc/cloudmw/" + role + ".env");
        assertThat(unit.lines())
                .contains(
                        "User=cloudmw",
                        "NoNewPrivileges=yes",
                        "CapabilityBoundingSet=",
                        "ProtectSystem=strict",
                        "ProtectHome=yes",
                        "PrivateTmp=yes",
                        "PrivateDevices=yes",
                        "UMask=0077",
                        "ExecStartPost=/usr/share/cloudmw/unit-steps await-ready " + role);
    }

    @Test
    void documentNamesTheFilesTheUnitsAndTheirLimits() throws IOException {
        String document = Files.readString(ROOT.resolve("docs/packages.md"));
        try (Stream<Path> files = Files.list(SOURCES.resolve("etc"))) {
            assertThat(files.map(file -> "`/etc/cloudmw/" + file.getFileName() + "`"))
                    .hasSize(4)
                    .allSatisfy(name -> assertThat(document).contains(name));
        }
        assertThat(document)
                .contains("`cloudmw-coordinator`", "`cloudmw-helper`")
                .contains(
                        bytes(unit("coordinator"), "MemoryMax=") / MIB / 1024 + " GiB for a coordinator",
                        bytes(unit("helper"), "MemoryMax=") / MIB / 1024 + " GiB for a helper")
                .contains("exit codes 2, 7 and 8")
                .contains("`cluster.secret`", "`authority.pem`", "`admin.token`");
        assertThat(unit("helper")).contains("RestartPreventExitStatus=2 7 8");
        assertThat(environment("helper")).contains("CLOUDMW_STOP_DRAINS=no");
    }

    @Test
    void releaseBeforeIsACommit() throws IOException {
        assertThat(Files.readString(ROOT.resolve("integration-tests/previous-release")))
                .matches("[0-9a-f]{40}\n");
    }
}
