package io.cloudmw.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SettingsTest {
    @TempDir
    private Path directory;

    @Test
    void theCommandLineWinsOverTheEnvironmentAndThatOverTheFile() throws Exception {
        Path file = Files.writeString(directory.resolve("p"), "a.x=file\na.y=file\na.z=file\n");
        Settings settings = Settings.load(
                Optional.of(file), Map.of("CLOUDMW_A_X", "env", "CLOUDMW_A_Y", "env"), Map.of("a.x", "cli"));
        assertThat(settings.text("a.x", "d")).isEqualTo("cli");
        assertThat(settings.text("a.y", "d")).isEqualTo("env");
        assertThat(settings.text("a.z", "d")).isEqualTo("file");
        assertThat(settings.text("a.other", "d")).isEqualTo("d");
        settings.finish();
    }

    @Test
    void aFallbackCountsWhereNoSourceGivesTheKey() throws Exception {
        Settings settings = Settings.load(Optional.empty(), Map.of("CLOUDMW_A_X", "env", "CLOUDMW_A_Z", " "), Map.of());
        for (String key : new String[] {"a.x", "a.y", "a.z"}) {
            settings.fallBack(key, "ELSEWHERE", "else");
        }
        settings.fallBack("a.blank", "ELSEWHERE", "");
        assertThat(settings.text("a.x", "d")).isEqualTo("env");
        assertThat(settings.text("a.y", "d")).isEqualTo("else");
        assertThat(settings.text("a.z", "d")).isEqualTo("else");
        assertThat(settings.text("a.blank", "d")).isEqualTo("d");
        settings.finish();
        refused(() -> settings.address("a.y", new HostPort("h", 1)), "ELSEWHERE: \"else\" (expected: host:port)");
    }

    @Test
    void anUnknownKeyStopsTheStartAndNamesTheNearestValidOne() throws Exception {
        Settings settings = Settings.of(Map.of("helper.race.hegde-delay", "secret-value"));
        settings.duration("helper.race.hedge-delay", Duration.ofSeconds(1), Duration.ZERO, Duration.ofSeconds(9));
        settings.text("helper.id", "h1");
        refused(settings::finish, "helper.race.hegde-delay", "did you mean helper.race.hedge-delay?");
    }

    @Test
    void anUnknownVariableOfTheComponentStopsTheStartToo() throws Exception {
        Map<String, String> others =
                Map.of("CLOUDMW_JAVA_OPTS", "x", "CLOUDMW_HELPER", "x", "CLOUDMW_COORDINATOR_DATA_DIR", "x");
        Settings fine = Settings.load(Optional.empty(), others, Map.of());
        fine.integer("helper.fetch.threads", 1, 1, 9);
        fine.finish();
        Settings settings =
                Settings.load(Optional.empty(), Map.of("CLOUDMW_HELPER_FETCH_THREDS", "secret-value"), Map.of());
        settings.integer("helper.fetch.threads", 1, 1, 9);
        refused(settings::finish, "CLOUDMW_HELPER_FETCH_THREDS", "did you mean CLOUDMW_HELPER_FETCH_THREADS?");
    }

    @Test
    void aPartOfTheKeysCanBeCheckedEarlier() throws Exception {
        Settings settings =
                Settings.of(Map.of("helper.disk.a.pth", "/x", "helper.disk.ab.path", "/y", "helper.idd", "h"));
        settings.optionalPath("helper.disk.a.path");
        settings.refuseUnknown("helper.disk.b");
        settings.refuseUnknown("helper.disk.a.path");
        refused(() -> settings.refuseUnknown("helper.disk.a"), "did you mean helper.disk.a.path?");
    }

    @Test
    void valuesAreTyped() throws Exception {
        Settings settings = Settings.of(Map.of(
                "size", "64MiB", "time", "2s", "flag", "true", "count", "7", "at", "127.0.0.1:80", "dir", "/tmp"));
        assertThat(settings.size("size", 1, 0, 1L << 40)).isEqualTo(64 << 20);
        assertThat(settings.duration("time", Duration.ZERO, Duration.ZERO, Duration.ofDays(1)))
                .isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.flag("flag", false)).isTrue();
        assertThat(settings.integer("count", 1, 1, 10)).isEqualTo(7);
        assertThat(settings.number("count", 1, 1, 10)).isEqualTo(7);
        assertThat(settings.address("at", new HostPort("x", 1))).isEqualTo(new HostPort("127.0.0.1", 80));
        assertThat(settings.path("dir", Path.of("x"))).isEqualTo(Path.of("/tmp"));
        assertThat(settings.optionalAddress("none")).isEmpty();
    }

    @Test
    void boundsAreInclusiveAndNamedWhenBroken() throws Exception {
        Settings settings = Settings.of(Map.of("low", "1MiB", "high", "8MiB", "under", "1023KiB", "over", "9MiB"));
        assertThat(settings.size("low", 2 << 20, 1 << 20, 8 << 20)).isEqualTo(1 << 20);
        assertThat(settings.size("high", 2 << 20, 1 << 20, 8 << 20)).isEqualTo(8 << 20);
        refused(() -> settings.size("under", 2 << 20, 1 << 20, 8 << 20), "under", "1023KiB", "1MiB..8MiB");
        refused(() -> settings.size("over", 2 << 20, 1 << 20, 8 << 20), "over", "9MiB");
    }

    @Test
    void malformedValuesAreNamedWithTheExpectedForm() {
        Settings settings = Settings.of(Map.of("a", "zzz"));
        refused(() -> settings.flag("a", true), "a: \"zzz\"", "true or false");
        refused(() -> settings.integer("a", 1, 0, 9), "a: \"zzz\"", "0..9");
        refused(() -> settings.address("a", new HostPort("h", 1)), "host:port");
        refused(() -> settings.requiredText("b"), "b: missing", "CLOUDMW_B");
    }

    @Test
    void secretsAreUsedButNeverShown() {
        Settings settings = Settings.of(Map.of("cluster.password", "hunter2"));
        assertThat(settings.secret("cluster.password")).contains("hunter2");
        assertThat(settings.toString()).contains("cluster.password").doesNotContain("hunter2");
        assertThat(settings.known().toString()).doesNotContain("hunter2");
    }

    @Test
    void groupsNamedByTheUserAreFound() {
        Settings settings =
                Settings.of(Map.of("helper.disk.b.path", "/b", "helper.disk.a.path", "/a", "helper.id", "x"));
        assertThat(settings.names("helper.disk")).containsExactly("a", "b");
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "1KiB,1024", "64MiB,67108864", "2GiB,2147483648", "1TiB,1099511627776", "1500,1500"})
    void sizesReadBackAsWritten(String text, long bytes) {
        assertThat(Sizes.parse(text)).isEqualTo(bytes);
        assertThat(Sizes.format(bytes)).isEqualTo(text);
    }

    @Test
    void decimalSizesAreReadToo() {
        assertThat(Sizes.parse("1GB")).isEqualTo(1_000_000_000);
        assertThat(Sizes.parse("25 MB")).isEqualTo(25_000_000);
        assertThat(Sizes.parse("3kB")).isEqualTo(3000);
        assertThat(Sizes.parse("2TB")).isEqualTo(2_000_000_000_000L);
    }

    @ParameterizedTest
    @CsvSource({
        "64M,67108864",
        "64m,67108864",
        "64Mi,67108864",
        "64mib,67108864",
        "64MB,64000000",
        "8k,8192",
        "3Gi,3221225472",
        "2T,2199023255552",
        "1P,1125899906842624",
        "1PB,1000000000000000",
        "7E,8070450532247928832",
        "12B,12",
        "12,12"
    })
    void aLetterAloneIsAPowerOf1024AndOneWithBAPowerOf1000(String text, long bytes) {
        assertThat(Sizes.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "MiB", "-1", "1.5MiB", "1 XB", "99999999TiB", "1MiBB", "1i", "1iB", "9E"})
    void malformedSizeIsRefused(String text) {
        assertThatThrownBy(() -> Sizes.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "7us", "200ms", "2s", "90s", "5m", "1h", "7d"})
    void durationsReadBackAsWritten(String text) {
        assertThat(Durations.format(Durations.parse(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1.5s", "1", "1w", "99999999d"})
    void malformedDurationIsRefused(String text) {
        assertThatThrownBy(() -> Durations.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:80", "127.0.0.1:0", "[::1]:65535"})
    void addressesReadBackAsWritten(String text) {
        assertThat(HostPort.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", ":80", "host:", "host:65536", "::1:80", "host:1x", "a b:1"})
    void malformedAddressIsRefused(String text) {
        assertThatThrownBy(() -> HostPort.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void refused(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContainingAll(parts)
                .hasMessageNotContaining("secret-value");
    }
}
