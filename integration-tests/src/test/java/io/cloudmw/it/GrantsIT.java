package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of grants, roles and tokens in a cluster under TLS. */
class GrantsIT {
    private static final VolumeName DATA = new VolumeName("data");
    private static final VolumeName HIDDEN = new VolumeName("hidden");
    private static final GrantScope LOGS = new GrantScope(DATA, "/logs");

    @TempDir
    private Path directory;

    private TlsCluster cluster;
    private CloudMw admin;
    private Path source;

    @BeforeEach
    void startCluster() throws Exception {
        cluster = TlsCluster.start(directory);
        admin = cluster.admin();
        cluster.createVolume(admin, DATA, Mode.COOPERATIVE);
        cluster.createVolume(admin, HIDDEN, Mode.COOPERATIVE);
        source = Files.write(directory.resolve("source"), new byte[5 << 20]);
    }

    @AfterEach
    void stopCluster() {
        cluster.close();
    }

    private CloudMw client(String subject) {
        return cluster.client(ClientSecurity.token(
                admin.subjects().createToken(subject, Optional.empty()).join()));
    }

    private static FilePath file(String path) {
        return new FilePath(DATA, path);
    }

    private ErrorCode putFails(CloudMw client, String path) {
        return TlsCluster.refusal(client.files().put(source, file(path), PutOptions.defaults()));
    }

    private ErrorCode getFails(CloudMw client, String path) {
        return TlsCluster.refusal(client.files().get(file(path), directory.resolve("refused"), GetOptions.defaults()));
    }

    @Test
    void subjectReadsAndWritesWhereItMayAndNowhereElse() throws Exception {
        admin.files().put(source, file("/secret"), PutOptions.defaults()).join();
        CloudMw app = client("app");
        assertThat(putFails(app, "/logs/a")).isEqualTo(ErrorCode.PERMISSION_DENIED);

        admin.subjects().grant("app", LOGS, Set.of(Right.READ, Right.WRITE)).join();
        app.files().put(source, file("/logs/a"), PutOptions.defaults()).join();
        Path target = directory.resolve("target");
        app.files().get(file("/logs/a"), target, GetOptions.defaults()).join();
        assertThat(target).hasSameBinaryContentAs(source);
        assertThat(getFails(app, "/secret")).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(putFails(app, "/logs2")).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(TlsCluster.refusal(app.volumes().delete(DATA, true))).isEqualTo(ErrorCode.PERMISSION_DENIED);

        admin.subjects().grant("app", LOGS, Set.of(Right.READ)).join();
        assertThat(putFails(app, "/logs/b")).isEqualTo(ErrorCode.PERMISSION_DENIED);
        app.files().get(file("/logs/a"), target, GetOptions.defaults()).join();
    }

    @Test
    void listsShowOnlyVolumesOfTheSubject() {
        CloudMw app = client("app");
        assertThat(app.volumes().list().join()).isEmpty();
        admin.subjects().grant("app", LOGS, Set.of(Right.READ)).join();
        assertThat(app.volumes().list().join())
                .extracting(volume -> volume.name())
                .containsExactly(DATA);
        admin.subjects().setRole("app", Optional.of(ClusterRole.VIEWER)).join();
        assertThat(app.volumes().list().join()).hasSize(2);
    }

    @Test
    void revokedTokenIsRefusedOnItsOpenConnection() {
        admin.subjects().grant("app", LOGS, Set.of(Right.READ, Right.WRITE)).join();
        CloudMw app = client("app");
        app.files().put(source, file("/logs/a"), PutOptions.defaults()).join();
        admin.subjects().revokeToken("app", Optional.empty()).join();
        assertThat(putFails(app, "/logs/b")).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(getFails(app, "/logs/a")).isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void idOfAVersionIsNoRightToReadIt() throws Exception {
        FilePath secret = file("/secret");
        admin.files().put(source, secret, PutOptions.defaults()).join();
        VersionId version = admin.files().stat(secret).join().version().id();
        admin.subjects()
                .grant("app", new GrantScope(DATA, "/mine"), Set.of(Right.READ, Right.WRITE))
                .join();
        CloudMw app = client("app");
        FilePath mine = file("/mine/x");
        assertThat(TlsCluster.refusal(app.files().open(mine, version))).isEqualTo(ErrorCode.PERMISSION_DENIED);

        app.files().put(source, mine, PutOptions.defaults()).join();
        VersionId former = app.files().stat(mine).join().version().id();
        app.files().rename(mine, file("/mine/y"), true).join();
        app.files().open(file("/mine/y"), former).join().close();
    }

    @Test
    void whoMayOnlyWriteMovesNoFileToWhereItReads() throws Exception {
        admin.subjects()
                .grant("app", new GrantScope(DATA, "/inbox"), Set.of(Right.WRITE))
                .join();
        admin.subjects()
                .grant("app", new GrantScope(DATA, "/mine"), Set.of(Right.READ, Right.WRITE))
                .join();
        admin.files().put(source, file("/inbox/secret"), PutOptions.defaults()).join();
        CloudMw app = client("app");
        assertThat(TlsCluster.refusal(app.files().rename(file("/inbox/secret"), file("/mine/s"), true)))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void volumeOfTheSameNameBeginsWithoutGrants() {
        admin.subjects()
                .grant("app", new GrantScope(HIDDEN, "/"), Set.of(Right.READ))
                .join();
        CloudMw app = client("app");
        assertThat(app.volumes().list().join()).hasSize(1);
        admin.volumes().delete(HIDDEN, true).join();
        cluster.createVolume(admin, HIDDEN, Mode.COOPERATIVE);
        assertThat(app.volumes().list().join()).isEmpty();
    }

    @Test
    void operatorManagesStoresAndReadsNoFile() throws Exception {
        admin.files().put(source, file("/secret"), PutOptions.defaults()).join();
        admin.subjects().setRole("ops", Optional.of(ClusterRole.OPERATOR)).join();
        CloudMw ops = client("ops");
        assertThat(ops.stores().list().join()).hasSize(2);
        assertThat(getFails(ops, "/secret")).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(TlsCluster.refusal(ops.subjects().setRole("ops", Optional.of(ClusterRole.ADMIN))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        CloudMw nobody = client("nobody");
        assertThat(TlsCluster.refusal(nobody.stores().list())).isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void commandsGrantRevokeAndTellWhoOneIs() throws Exception {
        CommandLine command = new CommandLine(cluster.address());
        String adminToken = cluster.tokenFile().toString();
        Path token = directory.resolve("app.token");
        command.run(
                        "token",
                        "create",
                        "--subject",
                        "app",
                        "--ttl",
                        "30d",
                        "--out",
                        token.toString(),
                        "--token-file",
                        adminToken)
                .orThrow();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
                .isEqualTo("rw-------");
        command.run("grant", "app", "data:/logs", "read,write", "--token-file", adminToken)
                .orThrow();
        JsonNode who = command.run("whoami", "--json", "--token-file", token.toString())
                .orThrow()
                .json();
        assertThat(who.path("subject").path("name").asText()).isEqualTo("app");
        assertThat(who.path("subject").path("grants").path(0).path("path").asText())
                .isEqualTo("/logs");
        assertThat(command.run("grants", "data", "--token-file", adminToken)
                        .orThrow()
                        .out())
                .contains("app", "data:/logs", "read,write");

        CommandLine.Result refused =
                command.run("volume", "rm", "data", "--force", "--yes", "--token-file", token.toString());
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("subject app does not have admin on data:/");
        assertThat(command.run("revoke", "app", "data:/log", "--token-file", adminToken)
                        .exitCode())
                .as("a path without rights")
                .isEqualTo(3);
        command.run("revoke", "app", "data:/logs/", "--token-file", adminToken).orThrow();
        assertThat(command.run("ls", "data:/logs", "--token-file", token.toString())
                        .exitCode())
                .isEqualTo(8);
        String nowhere = directory.resolve("none/token").toString();
        CommandLine.Result unwritten =
                command.run("token", "create", "--subject", "app", "--out", nowhere, "--token-file", adminToken);
        assertThat(unwritten.exitCode()).isEqualTo(7);
        CommandLine.Result again = command.run(
                "token", "create", "--subject", "app", "--out", token.toString(), "--token-file", adminToken);
        assertThat(again.err()).contains("there is a file " + token + " already");
        assertThat(admin.subjects().list(Optional.empty()).join())
                .singleElement()
                .satisfies(app -> assertThat(app.tokens()).hasSize(1));
        command.run("token", "revoke", "app", "--all", "--token-file", adminToken)
                .orThrow();
        assertThat(command.run("whoami", "--token-file", token.toString()).exitCode())
                .isEqualTo(8);
    }
}
