package io.cloudmw.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CertificateRefreshTest {
    private long nowMillis = Duration.ofDays(20_000).toMillis();

    @ParameterizedTest
    @ValueSource(longs = {45, 3600, 604_800})
    void certificateIsRenewedInTheLastThirdOfItsLife(long lifeSeconds) throws CloudMwException {
        CertificateAuthority authority = CertificateAuthority.create(() -> nowMillis);
        TlsMaterial present = material(authority, Duration.ofSeconds(lifeSeconds));
        CertificateRefresh.Source source = CertificateRefresh.renewing(
                before -> material(authority, Duration.ofSeconds(lifeSeconds)), () -> nowMillis);
        long made = nowMillis;

        nowMillis = made + lifeSeconds * 1000 / 2;
        assertThat(source.next(present)).isEmpty();
        nowMillis = made + lifeSeconds * 1000 * 7 / 10;
        assertThat(source.next(present)).isPresent();
    }

    /** A look may come late by one interval. */
    @Test
    void certificateOfTheShortestLifeIsRenewedBeforeItCouldEnd() throws CloudMwException {
        CertificateAuthority authority = CertificateAuthority.create(() -> nowMillis);
        TlsMaterial present = material(authority, Duration.ofSeconds(12));
        long end = present.own()
                .orElseThrow()
                .certificate()
                .getNotAfter()
                .toInstant()
                .toEpochMilli();
        CertificateRefresh.Source source =
                CertificateRefresh.renewing(before -> material(authority, Duration.ofSeconds(12)), () -> nowMillis);
        nowMillis = end - 2 * CertificateRefresh.INTERVAL.toMillis() - 1;
        assertThat(source.next(present)).isEmpty();
        nowMillis++;
        assertThat(source.next(present)).isPresent();
    }

    @Test
    void certificateOfAnotherProcessIsRefusedAndTheOneInUseStays() throws CloudMwException {
        TestAuthority authority = new TestAuthority();
        TlsCredentials credentials = authority.credentials(ProcessRole.HELPER, "h1");
        TlsMaterial used = credentials.material();
        for (ProcessRole role : ProcessRole.values()) {
            String id = role == ProcessRole.HELPER ? "h2" : "h1";
            TlsMaterial other = authority.credentials(role, id).material();
            assertThatThrownBy(() -> credentials.replace(other))
                    .isInstanceOf(CloudMwException.class)
                    .hasMessageContaining("/" + role.word() + "/" + id)
                    .hasMessageContaining("expected: of cloudmw://" + TestAuthority.CLUSTER + "/helper/h1");
            assertThat(credentials.material()).isSameAs(used);
        }

        TlsMaterial renewed = authority.credentials(ProcessRole.HELPER, "h1").material();
        credentials.replace(renewed);
        assertThat(credentials.material()).isSameAs(renewed);
    }

    private static TlsMaterial material(CertificateAuthority authority, Duration life) throws CloudMwException {
        KeyPair key = SigningRequest.newKey();
        ProcessIdentity identity = new ProcessIdentity("c", ProcessRole.HELPER, "h1");
        return new TlsMaterial(
                Optional.of(new CertifiedKey(key.getPrivate(), authority.certify(key.getPublic(), identity, life))),
                List.of(authority.certificate()));
    }
}
