package io.cloudmw.client.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateRefresh;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TestAuthority;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsMaterial;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the question whether a refused call may pass with another certificate. */
final class ClientCertificatesTest {
    private final CloudMwException refused = new CloudMwException(ErrorCode.UNAUTHENTICATED, "refused");

    /** An address where nobody answers. */
    private static final HostPorts NOBODY = HostPorts.parse("127.0.0.1:1");

    @TempDir
    private Path directory;

    private static TlsMaterial material() throws CloudMwException {
        return new TestAuthority()
                .material(new ProcessIdentity("cluster", ProcessRole.CLIENT, "app"), Duration.ofHours(1));
    }

    @Test
    void callThatWasNotSentIsNotRepeated() throws Exception {
        ClientCertificates none = ClientCertificates.from(
                present -> {
                    throw refused;
                },
                Runnable::run);
        assertThat(none.ready()).isCompletedExceptionally();
        assertThat(none.mayPassWithOther(none.material(), refused)).isFalse();
        assertThat(ClientCertificates.none().mayPassWithOther(TlsMaterial.NONE, refused))
                .isFalse();
    }

    @Test
    void certificateOfThisClientIsNotReplaced() throws Exception {
        TlsMaterial own = material();
        ClientCertificates certificates = ClientCertificates.from(present -> Optional.of(own), Runnable::run);
        certificates.ready().get();
        assertThat(certificates.material()).isEqualTo(own);
        assertThat(certificates.mayPassWithOther(own, refused)).isFalse();
    }

    /** A cluster that was set up anew has another authority, and certifies the client under another name. */
    @Test
    void certificateOfAnotherClusterIsTakenOnlyInPlaceOfARefusedOne() throws Exception {
        TlsMaterial kept = material();
        TlsMaterial other = new TestAuthority()
                .material(new ProcessIdentity("another", ProcessRole.CLIENT, "app"), Duration.ofHours(1));
        FakeTicker ticker = new FakeTicker();
        ClientCertificates certificates = new ClientCertificates(
                Optional.of(new TlsCredentials(kept)),
                present -> Optional.of(other),
                kept::equals,
                Runnable::run,
                ticker);
        ticker.advance(CertificateRefresh.INTERVAL);
        certificates.ready().get();
        assertThat(certificates.material()).isEqualTo(kept);

        assertThat(certificates.mayPassWithOther(kept, refused)).isTrue();
        certificates.ready().get();
        assertThat(certificates.material()).isEqualTo(other);
    }

    @Test
    void keptCertificateIsReplacedOnlyWhenItIsRefused() throws Exception {
        AccessToken token = AccessToken.random("app", "0".repeat(64));
        CertificateFiles files = new CertificateFiles(directory, WallClock.system());
        TlsMaterial kept = material();
        files.keep(NOBODY, token, kept.own().orElseThrow(), kept);
        ClientCertificates certificates = ClientCertificates.from(
                new TokenCertificates(NOBODY, () -> token, Optional.of(files), WallClock.system()), Runnable::run);
        certificates.ready().get();
        assertThat(certificates.material()).isEqualTo(kept);

        assertThat(certificates.mayPassWithOther(kept, new CloudMwException(ErrorCode.NOT_FOUND, "no file")))
                .isFalse();
        assertThat(certificates.mayPassWithOther(material(), refused)).isFalse();
        assertThat(certificates.mayPassWithOther(kept, refused)).isTrue();
        assertThat(certificates.mayPassWithOther(kept, refused)).isTrue();
        assertThatThrownBy(() -> certificates.ready().get())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE));
    }
}
