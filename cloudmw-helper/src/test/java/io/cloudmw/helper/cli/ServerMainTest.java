package io.cloudmw.helper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerMainTest {
    @TempDir
    private Path directory;

    @Test
    void helpExitsWithZero() {
        assertThat(ServerMain.run("--help")).isZero();
        assertThat(ServerMain.run("helper", "--help")).isZero();
        assertThat(ServerMain.run("coordinator", "--help")).isZero();
        assertThat(ServerMain.run("standalone", "--help")).isZero();
    }

    @Test
    void wrongCommandLineExitsWithTwo() throws IOException {
        assertThat(ServerMain.run("helper", "--no-such-option")).isEqualTo(2);
        assertThat(ServerMain.run("helper", "--secret-file", secret(), "--disk", "no-directory"))
                .isEqualTo(2);
        assertThat(ServerMain.run("helper", "--secret-file", secret())).isEqualTo(2);
        assertThat(ServerMain.run("helper", "--secret-file", secret(), "--id", "h", "-D", "helper.no-such=1"))
                .isEqualTo(2);
    }

    @Test
    void unusableDiskExitsWithSeven() throws IOException {
        Path file = Files.writeString(directory.resolve("a-file"), "not a directory");
        assertThat(ServerMain.run(
                        "helper", "--secret-file", secret(), "--id", "h", "--http=127.0.0.1:0", "--disk", "d=" + file))
                .isEqualTo(7);
    }

    @Test
    void wrongSettingOfAHelperCreatesNoSecret() {
        Path secret = directory.resolve("new-secret");
        assertThat(saidOf("helper", "--secret-file=" + secret, "--id", "h", "-D", "helper.fetch.thread=3"))
                .first()
                .asString()
                .contains("helper.fetch.thread");
        assertThat(secret).doesNotExist();
    }

    @Test
    void helperOfACoordinatorElsewhereCreatesNoSecretAndNoDisk() {
        Path secret = directory.resolve("new-secret");
        Path disk = directory.resolve("disk");
        String elsewhere = "--coordinator=192.0.2.1:7400";
        assertThat(saidOf(7, "helper", elsewhere, "--secret-file=" + secret, "--id", "h", "--disk", "d=" + disk))
                .last()
                .asString()
                .contains("cluster.secret-file: there is no file " + secret, "192.0.2.1:7400 is on another machine");
        assertThat(secret).doesNotExist();
        assertThat(disk).doesNotExist();
    }

    @Test
    void diskBelowAMissingDirectoryIsNotCreated() throws Exception {
        Path disk = directory.resolve("mistyped/d1");
        assertThat(saidOf(7, "helper", "--secret-file", secret(), "--id", "h", "--disk", "d=" + disk))
                .last()
                .asString()
                .contains("there is neither a directory " + disk + " nor " + disk.getParent());
        assertThat(disk.getParent()).doesNotExist();
    }

    @Test
    void misspeltArgumentIsNamedWithASuggestion() {
        fails("unknown option '--lisen'; did you mean '--listen'?", "coordinator", "coordinator", "--lisen", "X");
        fails("unknown option '--lisen'; did you mean '--listen'?", "helper", "helper", "--lisen=X", "--no-such");
        fails("unknown option '--quxquux'", "recover", "recover", "v", "--quxquux");
        fails("unexpected argument 'X'", "standalone", "standalone", "X");
    }

    /** Checks the two lines of a usage error: the error, and the command whose help to see. */
    private static void fails(String said, String command, String... arguments) {
        assertThat(saidOf(arguments))
                .containsExactly("cloudmw: " + said, "cloudmw: see cloudmw " + command + " --help");
    }

    private static List<String> saidOf(String... arguments) {
        return saidOf(2, arguments);
    }

    private static List<String> saidOf(int exit, String... arguments) {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(ServerMain.run(arguments)).isEqualTo(exit);
        } finally {
            System.setErr(before);
        }
        return said.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void missingIdNamesItsOption() {
        assertThat(saidOf("helper"))
                .containsExactly("cloudmw: --id: missing (expected: the helper's name in its cluster, here or as the"
                        + " setting helper.id)");
    }

    @Test
    void helperHelpNamesTheSettingOfASwitch() {
        PrintStream before = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(ServerMain.run("helper", "--help")).isZero();
        } finally {
            System.setOut(before);
        }
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("helper.switch.volumes", "docs/configuration.md");
    }

    @Test
    void errorsNameTheOptionOrSettingAndTheExpectedValue() throws IOException {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            String data = "--data-dir=" + directory.resolve("data");
            assertThat(ServerMain.run(
                            "coordinator", "--secret-file=" + secret(), data, "-D", "coordinator.helper-ttl=1s"))
                    .isEqualTo(2);
            assertThat(ServerMain.run(
                            "coordinator", data, "-Dcoordinator.helper-ttl=8m", "-Dcoordinator.repair-after=2m"))
                    .isEqualTo(2);
            assertThat(ServerMain.run("recover", "v", "--from", "nonsense", data))
                    .isEqualTo(2);
            assertThat(ServerMain.run("helper", "--id=h", "--disk=nonsense")).isEqualTo(2);
            assertThat(ServerMain.run("recover", "v", "--from", "d9=" + directory.resolve("none"), data))
                    .isEqualTo(7);
        } finally {
            System.setErr(before);
        }
        List<String> lines = said.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("cloudmw: "))
                .toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.subList(0, 4))
                .containsExactly(
                        "cloudmw: coordinator.helper-ttl: 1s (expected: > 2 x 2s, between heartbeats)",
                        "cloudmw: coordinator.repair-after: 2m (expected: >= 8m, a helper's lease)",
                        "cloudmw: --from: \"nonsense\" (expected: ID=s3://BUCKET[/PREFIX] or ID=DIRECTORY)",
                        "cloudmw: --disk: \"nonsense\" (expected: STORE=DIRECTORY)");
        assertThat(lines.get(4))
                .startsWith("cloudmw: no store can be read: d9 (")
                .doesNotContain("{");
    }

    @Test
    void usedHttpAddressPrintsOneLineAndExitsWithSeven() throws IOException {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            assertThat(ServerMain.run(
                            "helper",
                            "--secret-file=" + secret(),
                            "--coordinator=127.0.0.1:1",
                            "--id=h",
                            "--disk=d=" + directory.resolve("disk"),
                            "-Dhelper.spool.dir=" + directory.resolve("spool"),
                            "--http=" + address))
                    .isEqualTo(7);
            assertThat(said.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("cloudmw: ")))
                    .containsExactly("cloudmw: helper.http.listen: cannot listen on " + address
                            + ": another process listens there already");
            assertThat(directory.resolve("spool")).doesNotExist(); // the helper has neither begun nor registered
            said.reset();
            assertThat(ServerMain.run(
                            "coordinator",
                            "--secret-file=" + secret(),
                            "--listen=127.0.0.1:0",
                            "--data-dir=" + directory.resolve("data"),
                            "--http=" + address))
                    .isEqualTo(7);
            assertThat(said.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("cloudmw: ")))
                    .containsExactly("cloudmw: coordinator.http.listen: cannot listen on " + address
                            + ": another process listens there already");
            assertThat(directory.resolve("data")).doesNotExist();
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void unusableDirectoryIsNamedWithItsSetting() throws IOException {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        Path file = Files.createFile(directory.resolve("file"));
        try {
            for (String setting : List.of("helper.spool.dir", "helper.cache.disk.dir")) {
                said.reset();
                assertThat(ServerMain.run(
                                "helper",
                                "--secret-file=" + secret(),
                                "--coordinator=127.0.0.1:1",
                                "--id=h",
                                "-Dhelper.spool.dir=" + directory.resolve("spool"),
                                "-Dhelper.switch.volumes=*",
                                "-D" + setting + "=" + file))
                        .isEqualTo(7);
                assertThat(said.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("cloudmw: ")))
                        .containsExactly("cloudmw: " + setting + ": " + file + ": no directory");
            }
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void helperThatIsNotRegisteredSaysSoInsteadOfReady() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        Map<String, Object> where = Map.of("registered", false);
        ServingProcess.unready(out, false, "helper", where, "no coordinator has answered");
        ServingProcess.unready(out, true, "helper", where, "no coordinator has answered");
        assertThat(said.toString(StandardCharsets.UTF_8).lines())
                .satisfiesExactly(
                        text -> assertThat(text)
                                .startsWith("not ready helper registered=false: no coordinator has answered;"),
                        json -> assertThat(json)
                                .contains("\"registered\":false", "\"unready\":\"no coordinator has answered\""));
    }

    @Test
    void authorityIsMadeAndReplacedStepByStep() {
        String file = directory.resolve("authority.pem").toString();
        assertThat(ServerMain.run("authority", "create", file)).isZero();
        assertThat(ServerMain.run("authority", "create", file)).isEqualTo(4);
        assertThat(ServerMain.run("authority", "switch", file)).isEqualTo(3);
        assertThat(ServerMain.run("authority", "prepare", file)).isZero();
        assertThat(ServerMain.run("authority", "prepare", file)).isEqualTo(4);
        assertThat(ServerMain.run("authority", "finish", file)).isEqualTo(4);
        assertThat(ServerMain.run("authority", "switch", file)).isZero();
        assertThat(ServerMain.run("authority", "finish", file)).isZero();
        assertThat(ServerMain.run("authority", "show", file, "--json")).isZero();
        assertThat(ServerMain.run("authority", "renew", file)).isEqualTo(2);
    }

    @Test
    void missingSettingsFileExitsWithSeven() {
        assertThat(ServerMain.run(
                        "helper", "--config", directory.resolve("none").toString()))
                .isEqualTo(7);
    }

    @Test
    void resourceOfAnotherProcessExitsWithFour() throws Exception {
        StandaloneConfig config = new StandaloneConfig(
                new HostPort("127.0.0.1", 0), directory.resolve("all"), directory.resolve("made-secret"), 1);
        try (StandaloneCluster running = StandaloneCluster.start(config)) {
            assertThat(directory.resolve("made-secret")).exists();
            String data = directory.resolve("all/coordinator").toString();
            assertThat(ServerMain.run(
                            "coordinator", "--secret-file", secret(), "--listen", "127.0.0.1:0", "--data-dir", data))
                    .isEqualTo(4);
            assertThat(ServerMain.run(
                            "helper",
                            "--secret-file=" + directory.resolve("made-secret"),
                            "--coordinator=" + running.coordinator(),
                            "--id=thief",
                            "--disk=disk-1=" + directory.resolve("other")))
                    .isEqualTo(4);
        }
    }

    /** The command fails at its own settings, so that the secret file is a known one. */
    @Test
    void standaloneAcceptsTheSecretFile() throws IOException {
        Path file = Files.writeString(directory.resolve("a-file"), "not a directory");
        String all = file.resolve("below").toString();
        assertThat(ServerMain.run("standalone", "--secret-file", secret(), "--listen", "127.0.0.1:0", "--dir", all))
                .isNotZero()
                .isNotEqualTo(2);
    }

    @Test
    void failuresAreJsonWhenRequested() throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(ServerMain.run("helper", "--json", "--secret-file", secret()))
                    .isEqualTo(2);
            assertThat(ServerMain.run("standalone", "--json", "--no-such-option"))
                    .isEqualTo(2);
        } finally {
            System.setOut(before);
        }
        assertThat(said.toString(StandardCharsets.UTF_8).lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("\"error\"", "\"INVALID_ARGUMENT\""));
    }

    @Test
    void recoverDistinguishesUnavailableFromDeniedStores() {
        assertThat(ServerMain.exitCode(new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "x"), true))
                .isEqualTo(5);
        assertThat(ServerMain.exitCode(new CloudMwException(ErrorCode.STORE_DENIED, "x"), true))
                .isEqualTo(8);
        assertThat(ServerMain.exitCode(new CloudMwException(ErrorCode.STORE_DENIED, "x"), false))
                .isEqualTo(7);
    }

    @Test
    void commonOptionsMayPrecedeTheCommand() throws IOException {
        assertThat(saidOf("--secret-file", secret(), "-D", "helper.no-such=1", "helper", "--id=h"))
                .singleElement()
                .asString()
                .contains("helper.no-such");
        assertThat(saidOf("--coordinator=nowhere", "helper", "--id=h", "--secret-file", secret()))
                .singleElement()
                .asString()
                .contains("nowhere");
        assertThat(saidOf("--coordinator", "a:1", "standalone"))
                .first()
                .asString()
                .isEqualTo("cloudmw: unexpected option '--coordinator' (expected: only with helper)");
        assertThat(ServerMain.run("help", "recover")).isZero();
    }

    @Test
    void everyErrorCodeHasAnExitCode() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ServerMain.exitCode(new CloudMwException(code, "x"), false))
                    .isIn(1, 2, 3, 4, 5, 7, 8);
        }
        assertThat(ServerMain.exitCode(new IllegalStateException(), false)).isEqualTo(1);
    }

    private String secret() throws IOException {
        Path file = directory.resolve("secret");
        SecretFiles.replace("secret file", file, "x".repeat(32).getBytes(StandardCharsets.US_ASCII));
        return file.toString();
    }
}
