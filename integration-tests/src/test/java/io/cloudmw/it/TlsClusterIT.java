package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.standalone.HostedCoordinator;
import io.cloudmw.helper.standalone.HostedHelper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of a cluster under TLS with an authority of its own: who belongs to it is served, and nobody else. */
class TlsClusterIT {
    private static final VolumeName VOLUME = new VolumeName("v");

    @TempDir
    private Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private HostedCoordinator coordinator;

    @BeforeEach
    void startCluster() throws Exception {
        Map<String, String> settings = new HashMap<>(shared());
        settings.put("coordinator.listen", "127.0.0.1:0");
        settings.put("coordinator.data-dir", directory.resolve("coordinator").toString());
        settings.put("tls.authority", directory.resolve("authority.pem").toString());
        settings.put("tls.admin-token-file", tokenFile().toString());
        coordinator = HostedCoordinator.start(settings);
        for (int i = 1; i <= 2; i++) {
            HostedHelper helper = HostedHelper.start(helper("h" + i), List.of(), DiskOpener.throttling());
            opened.add(helper);
            helper.requireRegistration(Duration.ofSeconds(30));
        }
    }

    @AfterEach
    void stopCluster() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
        coordinator.close();
    }

    private Path tokenFile() {
        return directory.resolve("admin.token");
    }

    private Map<String, String> shared() {
        return Map.of(
                "tls.insecure",
                "false",
                "cluster.secret-file",
                directory.resolve("cluster.secret").toString());
    }

    private Map<String, String> helper(String id) {
        Map<String, String> settings = new HashMap<>(shared());
        settings.put("helper.id", id);
        settings.put("helper.coordinator", coordinator.address().toString());
        settings.put("helper.control.listen", "127.0.0.1:0");
        settings.put("helper.bulk.listen", "127.0.0.1:0");
        settings.put("helper.spool.dir", directory.resolve(id + "-spool").toString());
        settings.put(
                "helper.disk.d-" + id + ".path", directory.resolve(id + "-disk").toString());
        return settings;
    }

    private CloudMw client(ClientSecurity security) {
        CloudMw client = CloudMw.connect(CloudMwOptions.of(coordinator.address().toString())
                .withCoordinatorTimeout(Duration.ofSeconds(20))
                .withSecurity(security));
        opened.add(0, client);
        return client;
    }

    private CloudMw admin() {
        return client(ClientSecurity.tokenFile(tokenFile()));
    }

    private static ErrorCode refusal(CloudMw client) {
        CompletionException failure = catchThrowableOfType(
                CompletionException.class, () -> client.volumes().list().join());
        return ((CloudMwException) Objects.requireNonNull(failure.getCause())).code();
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"COOPERATIVE", "ROUNDS", "SINGLE"})
    void filesAreWrittenAndReadUnderTls(Mode mode) throws Exception {
        CloudMw client = admin();
        client.volumes()
                .create(new Volume(
                        VOLUME,
                        new Chunking.BySize(2 << 20),
                        2,
                        List.of(new StoreId("d-h1"), new StoreId("d-h2")),
                        2,
                        mode,
                        false,
                        0))
                .join();
        byte[] bytes = new byte[9 << 20];
        new SplittableRandom(7).nextBytes(bytes);
        Path source = Files.write(directory.resolve("source"), bytes);
        FilePath file = new FilePath(VOLUME, "/file");

        client.files().put(source, file, PutOptions.defaults()).join();
        Path target = directory.resolve("target");
        client.files().get(file, target, GetOptions.defaults()).join();

        assertThat(Files.readAllBytes(target)).isEqualTo(bytes);
    }

    @Test
    void plainTextClientIsRefused() {
        assertThat(refusal(client(ClientSecurity.insecure()))).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    }

    @Test
    void clientWithAnUnknownTokenIsRefused() throws Exception {
        AccessToken known = TokenFile.read(tokenFile());
        AccessToken unknown = AccessToken.random(known.authority());
        assertThat(refusal(client(ClientSecurity.token(unknown.text())))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void clientShowsItsTokenToNoOtherAuthority() throws Exception {
        AccessToken known = TokenFile.read(tokenFile());
        String text = known.text().replace(known.authority(), "0".repeat(64));
        assertThat(refusal(client(ClientSecurity.token(text)))).isEqualTo(ErrorCode.TLS_FAILED);
    }

    @Test
    void clientWithoutATokenFileIsRefused() {
        assertThat(refusal(client(ClientSecurity.tokenFile(directory.resolve("none")))))
                .isEqualTo(ErrorCode.LOCAL_IO);
    }

    @Test
    void helperWithAnotherJoinSecretDoesNotStart() throws Exception {
        Map<String, String> settings = helper("h3");
        settings.put("cluster.secret-file", directory.resolve("other.secret").toString());

        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class, () -> HostedHelper.start(settings, List.of(), DiskOpener.throttling()));

        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refusal).hasMessageContaining("join secret");
    }

    @Test
    void plainTextHelperDoesNotJoin() throws Exception {
        Map<String, String> settings = helper("h3");
        settings.put("tls.insecure", "true");
        try (HostedHelper lonely = HostedHelper.start(settings, List.of(), DiskOpener.throttling())) {
            assertThat(lonely.awaitRegistration(Duration.ofSeconds(2))).isFalse();
            assertThat(admin().cluster().helpers().join())
                    .extracting(status -> status.helper().id().value())
                    .containsExactlyInAnyOrder("h1", "h2");
        }
    }
}
