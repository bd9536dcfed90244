package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.WallClock;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** An authority that certifies any process. */
public final class TestAuthority {
    public static final String CLUSTER = "test";

    private final CertificateAuthority authority;

    public TestAuthority() {
        this(WallClock.system());
    }

    public TestAuthority(WallClock clock) {
        authority = CertificateAuthority.create(clock);
    }

    public X509Certificate certificate() {
        return authority.certificate();
    }

    public CertificateAuthority signing() {
        return authority;
    }

    public TlsMaterial material(ProcessIdentity identity, Duration life) throws CloudMwException {
        KeyPair key = SigningRequest.newKey();
        return new TlsMaterial(
                Optional.of(new CertifiedKey(key.getPrivate(), authority.certify(key.getPublic(), identity, life))),
                List.of(certificate()));
    }

    public TlsCredentials credentials(ProcessRole role, String id) throws CloudMwException {
        return new TlsCredentials(material(new ProcessIdentity(CLUSTER, role, id), Duration.ofHours(1)));
    }
}
