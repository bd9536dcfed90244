package io.cloudmw.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.WallClock;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CertificateAuthorityTest {
    private static final long NOW = 1_700_000_000_000L;

    private final CertificateAuthority authority = CertificateAuthority.create(() -> NOW);

    @Test
    void certifiesAnIdentityForBothSidesOfConnections() throws Exception {
        KeyPair key = SigningRequest.newKey();
        ProcessIdentity identity = new ProcessIdentity("prod", ProcessRole.HELPER, "h1");

        List<X509Certificate> chain = authority.certify(key.getPublic(), identity, Duration.ofDays(7));

        assertThat(chain).hasSize(2).last().isEqualTo(authority.certificate());
        X509Certificate made = chain.get(0);
        made.verify(authority.certificate().getPublicKey());
        assertThat(made.getPublicKey()).isEqualTo(key.getPublic());
        assertThat(Certificates.identity(made)).contains(identity);
        assertThat(made.getExtendedKeyUsage()).containsExactlyInAnyOrder("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
        assertThat(made.getBasicConstraints()).isEqualTo(-1);
        assertThat(made.getNotAfter().toInstant().toEpochMilli())
                .isEqualTo(NOW + Duration.ofDays(7).toMillis());
        assertThat(made.getNotBefore().toInstant().toEpochMilli()).isLessThan(NOW);
    }

    @Test
    void itsOwnCertificateSignsNoFurtherAuthorities() {
        X509Certificate own = authority.certificate();

        assertThat(own.getBasicConstraints()).isZero();
        assertThat(own.getKeyUsage()[5]).isTrue();
        assertThat(own.getNotAfter().toInstant().toEpochMilli() - NOW)
                .isEqualTo(CertificateAuthority.AUTHORITY_LIFE.toMillis());
    }

    @Test
    void successorIsTrustedByThoseWhoTrustTheFormerAuthority() throws Exception {
        WallClock clock = WallClock.system();
        CertificateAuthority former = CertificateAuthority.create(clock);
        CertificateAuthority next = CertificateAuthority.create(clock);
        List<X509Certificate> known =
                List.of(next.certificate(), former.certifySuccessor(next.certificate()), former.certificate());
        CertificateAuthority signing =
                new CertificateAuthority(new CertifiedKey(next.own().key(), known), clock);
        List<X509Certificate> chain = signing.certify(
                SigningRequest.newKey().getPublic(),
                new ProcessIdentity("prod", ProcessRole.COORDINATOR, "c1"),
                Duration.ofDays(7));

        assertThat(chain).containsExactly(chain.get(0), known.get(1), former.certificate());
        for (CertificateAuthority one : List.of(former, next)) {
            new EnrolmentTrust(Set.of(Certificates.fingerprint(one.certificate())))
                    .checkServerTrusted(chain.toArray(X509Certificate[]::new), "ECDHE_ECDSA");
        }
        // A certificate of another one says nothing, whoever sends it.
        chain.set(1, CertificateAuthority.create(clock).certifySuccessor(next.certificate()));
        EnrolmentTrust trust = new EnrolmentTrust(Set.of(Certificates.fingerprint(former.certificate())));
        assertThatThrownBy(() -> trust.checkServerTrusted(chain.toArray(X509Certificate[]::new), "ECDHE_ECDSA"))
                .isInstanceOf(CertificateException.class);
    }

    @Test
    void requestIsGoodForTheKeyThatSignedItAlone() throws Exception {
        KeyPair key = SigningRequest.newKey();
        SigningRequest request = SigningRequest.of(key);
        SigningRequest other = SigningRequest.of(SigningRequest.newKey());

        assertThat(request.verified()).isEqualTo(key.getPublic());
        assertThat(refused(SigningRequest.of(other.publicKey(), request.signature())))
                .hasMessageContaining("not signed by its own key");
    }

    @Test
    void requestsOfAnotherFormAreRefused() throws Exception {
        KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
        rsa.initialize(2048);
        KeyPairGenerator curve = KeyPairGenerator.getInstance("EC");
        curve.initialize(new ECGenParameterSpec("secp384r1"));
        byte[] signature = SigningRequest.of(SigningRequest.newKey()).signature();
        for (byte[] key : List.of(
                rsa.generateKeyPair().getPublic().getEncoded(),
                curve.generateKeyPair().getPublic().getEncoded(),
                new byte[0],
                new byte[5000])) {
            assertThat(refused(SigningRequest.of(key, signature))).hasMessageContaining("signing request");
        }
        byte[] good = SigningRequest.newKey().getPublic().getEncoded();
        assertThat(refused(SigningRequest.of(good, new byte[3]))).hasMessageContaining("signing request");
    }

    private static CloudMwException refused(SigningRequest request) {
        CloudMwException refusal = catchThrowableOfType(CloudMwException.class, request::verified);
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        return refusal;
    }

    @Test
    void identitiesHaveOneOfTwoForms() {
        assertThat(ProcessIdentity.parse("cloudmw://prod/client/app@team"))
                .contains(new ProcessIdentity("prod", ProcessRole.CLIENT, "app@team"));
        assertThat(ProcessIdentity.parse("spiffe://example.org/cloudmw/prod/helper/h1"))
                .contains(new ProcessIdentity("prod", ProcessRole.HELPER, "h1"));
        for (String other : List.of(
                "cloudmw://prod/helper",
                "cloudmw://prod/root/x",
                "cloudmw://prod/helper/a/b",
                "cloudmw://prod/helper/../x",
                "https://prod/helper/h1",
                "spiffe://example.org/prod/helper/h1",
                "cloudmw://prod/helper/h1\n")) {
            assertThat(ProcessIdentity.parse(other)).as(other).isEqualTo(Optional.empty());
        }
    }
}
