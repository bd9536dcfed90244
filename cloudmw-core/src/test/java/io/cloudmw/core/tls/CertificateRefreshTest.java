package io.cloudmw.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
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
    void certificateOfAnotherProcessIsNotTakenAndTheOneInUseStays() throws Exception {
        TestAuthority authority = new TestAuthority();
        TlsCredentials credentials = authority.credentials(ProcessRole.HELPER, "h1");
        TlsMaterial used = credentials.material();
        TlsMaterial renewed = authority.credentials(ProcessRole.HELPER, "h1").material();
        List<TlsMaterial> offered = List.of(
                authority.credentials(ProcessRole.HELPER, "h2").material(),
                authority.credentials(ProcessRole.CLIENT, "h1").material(),
                new TestAuthority().credentials(ProcessRole.COORDINATOR, "h1").material(),
                renewed);
        BlockingQueue<TlsMaterial> present = new LinkedBlockingQueue<>();
        Iterator<TlsMaterial> next = offered.iterator();
        CertificateRefresh.Source source = inUse -> {
            present.add(inUse);
            return next.hasNext() ? Optional.of(next.next()) : Optional.empty();
        };
        CertificateRefresh refresh = CertificateRefresh.start(credentials, source, Duration.ofMillis(1));
        try {
            for (TlsMaterial expected : List.of(used, used, used, used, renewed)) {
                assertThat(present.take()).isSameAs(expected);
            }
        } finally {
            refresh.close();
        }
    }

    @Test
    void refusalNamesBothProcesses() throws CloudMwException {
        TestAuthority authority = new TestAuthority();
        TlsMaterial used = authority.credentials(ProcessRole.HELPER, "h1").material();
        TlsMaterial other = authority.credentials(ProcessRole.HELPER, "h2").material();
        assertThatThrownBy(() -> used.requireSameProcess(other))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContaining("/helper/h2")
                .hasMessageContaining("expected: of cloudmw://" + TestAuthority.CLUSTER + "/helper/h1");
    }

    private static TlsMaterial material(CertificateAuthority authority, Duration life) throws CloudMwException {
        KeyPair key = SigningRequest.newKey();
        ProcessIdentity identity = new ProcessIdentity("c", ProcessRole.HELPER, "h1");
        return new TlsMaterial(
                Optional.of(new CertifiedKey(key.getPrivate(), authority.certify(key.getPublic(), identity, life))),
                List.of(authority.certificate()));
    }
}
