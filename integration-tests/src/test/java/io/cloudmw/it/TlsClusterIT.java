package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.standalone.HostedHelper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
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

    private TlsCluster cluster;

    @BeforeEach
    void startCluster() throws Exception {
        cluster = TlsCluster.start(directory);
    }

    @AfterEach
    void stopCluster() {
        cluster.close();
    }

    private ErrorCode refusal(ClientSecurity security) {
        return TlsCluster.refusal(cluster.client(security).volumes().list());
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"COOPERATIVE", "ROUNDS", "SINGLE"})
    void filesAreWrittenAndReadUnderTls(Mode mode) throws Exception {
        CloudMw client = cluster.admin();
        cluster.createVolume(client, VOLUME, mode);
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
        assertThat(refusal(ClientSecurity.insecure())).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    }

    @Test
    void clientWithAnUnknownTokenIsRefused() throws Exception {
        AccessToken known = TokenFile.read(cluster.tokenFile());
        AccessToken unknown = AccessToken.random("app", known.authority());
        assertThat(refusal(ClientSecurity.token(unknown.text()))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void clientShowsItsTokenToNoOtherAuthority() throws Exception {
        AccessToken known = TokenFile.read(cluster.tokenFile());
        String text = known.text().replace(known.authority(), "0".repeat(64));
        assertThat(refusal(ClientSecurity.token(text))).isEqualTo(ErrorCode.TLS_FAILED);
    }

    @Test
    void clientWithoutATokenFileIsRefused() {
        assertThat(refusal(ClientSecurity.tokenFile(directory.resolve("none")))).isEqualTo(ErrorCode.LOCAL_IO);
    }

    @Test
    void helperWithAnotherJoinSecretDoesNotStart() throws Exception {
        Map<String, String> settings = cluster.helper("h3");
        settings.put("cluster.secret-file", directory.resolve("other.secret").toString());

        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class, () -> HostedHelper.start(settings, List.of(), DiskOpener.throttling()));

        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refusal).hasMessageContaining("join secret");
    }

    @Test
    void plainTextHelperDoesNotJoin() throws Exception {
        Map<String, String> settings = cluster.helper("h3");
        settings.put("tls.insecure", "true");
        try (HostedHelper lonely = HostedHelper.start(settings, List.of(), DiskOpener.throttling())) {
            assertThat(lonely.awaitRegistration(Duration.ofSeconds(2))).isFalse();
            assertThat(cluster.admin().cluster().helpers().join())
                    .extracting(status -> status.helper().id().value())
                    .containsExactlyInAnyOrder("h1", "h2");
        }
    }
}
