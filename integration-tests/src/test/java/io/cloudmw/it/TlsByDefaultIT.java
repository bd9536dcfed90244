package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.lab.fleet.LocalFleet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster and its users without a setting of TLS: each user has a home directory of his own. */
final class TlsByDefaultIT {
    private static final int INVALID_ARGUMENT = 2;
    private static final int UNAVAILABLE = 5;
    private static final int LOCAL_IO = 7;
    private static final int REFUSED = 8;

    @TempDir
    private Path directory;

    private LocalFleet processes;
    private String coordinator;

    @BeforeEach
    void start() throws IOException {
        processes = new LocalFleet(directory.resolve("fleet"), CommandLine.LAUNCHER, environment("operator"));
        coordinator = processes
                .startTalking("standalone", standalone("cluster", "127.0.0.1:0"))
                .answer()
                .path("address")
                .asText();
    }

    private List<String> standalone(String name, String listen) {
        return List.of(
                "standalone",
                "--dir=" + directory.resolve(name),
                "--listen=" + listen,
                "--helpers=1",
                "--json",
                "--until-eof");
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    private Path home(String user) throws IOException {
        return Files.createDirectories(directory.resolve("home-" + user));
    }

    private Map<String, String> environment(String user) throws IOException {
        return Map.of(
                "CLOUDMW_TLS_INSECURE", "false", "CLOUDMW_JAVA_OPTS", Fleet.SHORT_LIVED + " -Duser.home=" + home(user));
    }

    private CommandLine as(String user) throws IOException {
        return new CommandLine(coordinator).with(environment(user));
    }

    private static String subject(CommandLine.Result whoami) throws IOException {
        return whoami.orThrow().json().path("subject").path("name").asText();
    }

    @Test
    void userOfTheCoordinatorAdministratesAndOthersNeedAToken() throws IOException {
        Path token = home("operator").resolve(".cloudmw/admin.token");
        assertThat(Files.getPosixFilePermissions(token))
                .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        assertThat(subject(as("operator").run("whoami", "--json"))).isEqualTo("admin");
        CommandLine.Result refused = as("guest").run("whoami");
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(LOCAL_IO);
        assertThat(refused.err()).contains("admin.token: there is none", "cloudmw login");

        Path app = directory.resolve("app.token");
        as("operator").run("token", "create", "--subject=app", "--out=" + app).orThrow();
        as("operator")
                .run("volume", "create", "data", "--replicas=1", "--store=disk-1")
                .orThrow();
        as("operator").run("grant", "app", "data:/logs", "read,write").orThrow();
        as("guest").run("login", app.toString()).orThrow();
        assertThat(subject(as("guest").run("whoami", "--json"))).isEqualTo("app");
        Path file = Files.writeString(directory.resolve("line"), "a line");
        as("guest").run("put", "-q", file.toString(), "data:/logs/line").orThrow();
        assertThat(as("guest").run("cat", "-q", "data:/logs/line").orThrow().out())
                .isEqualTo("a line");
        CommandLine.Result elsewhere = as("guest").run("put", "-q", file.toString(), "data:/line");
        assertThat(elsewhere.exitCode()).as(elsewhere.err()).isEqualTo(REFUSED);

        as("guest").run("logout").orThrow();
        assertThat(as("guest").run("whoami").exitCode()).isEqualTo(LOCAL_IO);
    }

    private byte[] keptCertificate(String user) throws IOException {
        try (var kept = Files.list(home(user).resolve(".cloudmw/certificates"))) {
            List<Path> files = kept.toList();
            assertThat(files).hasSize(1);
            return Files.readAllBytes(files.get(0));
        }
    }

    @Test
    void commandsShareACertificateUntilItIsRefused() throws IOException {
        Path app = directory.resolve("app.token");
        as("operator").run("token", "create", "--subject=app", "--out=" + app).orThrow();
        as("guest").run("login", app.toString()).orThrow();
        byte[] first = keptCertificate("guest");
        assertThat(subject(as("guest").run("whoami", "--json"))).isEqualTo("app");
        assertThat(keptCertificate("guest")).isEqualTo(first);
        as("operator").run("token", "revoke", "app", "--all").orThrow();
        CommandLine.Result revoked = as("guest").run("whoami");
        assertThat(revoked.exitCode()).as(revoked.err()).isEqualTo(REFUSED);
        assertThat(revoked.err()).contains("token");

        byte[] ofCluster = keptCertificate("operator");
        processes.process("standalone").close();
        var unused = processes
                .startTalking("another", standalone("another", coordinator))
                .answer();
        assertThat(subject(as("operator").run("whoami", "--json"))).isEqualTo("admin");
        assertThat(keptCertificate("operator")).isNotEqualTo(ofCluster);

        as("operator").run("logout").orThrow();
        assertThat(home("operator").resolve(".cloudmw/certificates")).isEmptyDirectory();
    }

    @Test
    void loginKeepsNoTokenThatTheClusterRefuses() throws IOException {
        AccessToken admin = TokenFile.read(home("operator").resolve(".cloudmw/admin.token"));
        Path unknown = directory.resolve("unknown.token");
        TokenFile.replace(unknown, AccessToken.random("admin", admin.authority()));
        Path foreign = directory.resolve("foreign.token");
        TokenFile.replace(foreign, AccessToken.random("admin", "0".repeat(64)));
        for (Path each : List.of(unknown, foreign)) {
            CommandLine.Result refused = as("guest").run("login", each.toString());
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(REFUSED);
        }
        assertThat(home("guest").resolve(".cloudmw/token")).doesNotExist();
    }

    @Test
    void plainTextIsRefusedOffLoopbackAndByTheCluster() throws IOException {
        String data = "--data-dir=" + directory.resolve("plain");
        for (String listen : List.of("0.0.0.0:0", "[::]:0")) {
            CommandLine.Result open = as("guest").run("coordinator", "--insecure", "--listen=" + listen, data);
            assertThat(open.exitCode()).as(open.err()).isEqualTo(INVALID_ARGUMENT);
            assertThat(open.err()).contains("coordinator.listen: " + listen + " in plain text");
        }
        CommandLine.Result helper =
                as("guest").run("helper", "--insecure", "--id=h", "--coordinator=" + coordinator, "--listen=0.0.0.0:0");
        assertThat(helper.exitCode()).as(helper.err()).isEqualTo(INVALID_ARGUMENT);
        assertThat(helper.err()).contains("helper.control.listen: 0.0.0.0:0 in plain text");
        CommandLine.Result client = as("operator").run("whoami", "--insecure", "--timeout=5s");
        assertThat(client.exitCode()).as(client.err()).isEqualTo(UNAVAILABLE);
        assertThat(client.err()).contains("this client speaks plain text");
    }
}
