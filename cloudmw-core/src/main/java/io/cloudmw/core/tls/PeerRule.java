package io.cloudmw.core.tls;

import io.grpc.util.AdvancedTlsX509TrustManager.SslSocketAndEnginePeerVerifier;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;

/**
 * The rule for a peer's certificate, beyond that a trusted authority signed it: it names an identity of this cluster,
 * with an expected role. Addresses in it do not count: processes of a cluster come and go at any address.
 *
 * @param cluster the cluster of this process; empty: not known yet, any
 */
record PeerRule(Set<ProcessRole> roles, Supplier<Optional<String>> cluster) implements SslSocketAndEnginePeerVerifier {
    PeerRule {
        roles = Set.copyOf(roles);
    }

    @Override
    public void verifyPeerCertificate(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        verify(chain[0]);
    }

    @Override
    public void verifyPeerCertificate(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        verify(chain[0]);
    }

    private void verify(X509Certificate certificate) throws CertificateException {
        ProcessIdentity identity = Certificates.identity(certificate)
                .orElseThrow(() -> new CertificateException(
                        "the certificate names no process (expected: a URI cloudmw://CLUSTER/ROLE/ID)"));
        if (!roles.contains(identity.role())) {
            throw new CertificateException("the certificate is of " + identity.describe() + " (expected: "
                    + String.join(
                            " or ",
                            roles.stream().map(ProcessRole::word).sorted().toList()) + ")");
        }
        Optional<String> own = cluster.get();
        if (own.isPresent() && !own.get().equals(identity.cluster())) {
            throw new CertificateException(
                    "the certificate is of cluster " + identity.cluster() + " (expected: cluster " + own.get() + ")");
        }
    }
}
