package io.cloudmw.it.bench;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsMaterial;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The certificates of two helpers of one cluster, made for a benchmark. */
final class BenchCertificates {
    private final CertificateAuthority authority = CertificateAuthority.create(WallClock.system());

    /** Returns new credentials of a helper. */
    Optional<TlsCredentials> helper(String id) throws CloudMwException {
        KeyPair key = SigningRequest.newKey();
        ProcessIdentity identity = new ProcessIdentity("bench", ProcessRole.HELPER, id);
        CertifiedKey own =
                new CertifiedKey(key.getPrivate(), authority.certify(key.getPublic(), identity, Duration.ofDays(1)));
        return Optional.of(new TlsCredentials(new TlsMaterial(Optional.of(own), List.of(authority.certificate()))));
    }
}
