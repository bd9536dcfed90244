package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The trust of a process that enrols, and knows no authority yet. With pins, the coordinator's chain must end at an
 * authority whose key has one of these fingerprints. Without them every chain is accepted: the answer then proves by the
 * join secret that it comes from the cluster, and the request reveals nothing that others could use.
 */
public final class EnrolmentTrust extends X509ExtendedTrustManager {
    private final Set<String> pins;

    EnrolmentTrust(Set<String> pins) {
        this.pins = Set.copyOf(pins);
    }

    /**
     * The context of the connection on which a process enrols.
     *
     * @param pins the {@link Certificates#fingerprint} of each authority that it accepts; empty: any
     */
    public static SslContext context(Set<String> pins) throws CloudMwException {
        try {
            return GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
                    .endpointIdentificationAlgorithm(null)
                    .protocols("TLSv1.3")
                    .trustManager(new EnrolmentTrust(pins))
                    .build();
        } catch (SSLException e) {
            throw new CloudMwException(ErrorCode.INTERNAL, "TLS: " + Reasons.of(e), e);
        }
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        if (pins.isEmpty()) {
            return;
        }
        X509Certificate authority = Arrays.stream(chain)
                .filter(one -> pins.contains(Certificates.fingerprint(one)))
                .findFirst()
                .orElseThrow(() -> new CertificateException(
                        "the coordinator's certificate is not signed by the authority that the token names: it was replaced,"
                                + " or this is another cluster (expected: a new token, of cloudmw token create)"));
        try {
            List<X509Certificate> below = Arrays.stream(chain)
                    .takeWhile(one -> !one.equals(authority))
                    .toList();
            PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(authority, null)));
            parameters.setRevocationEnabled(false);
            var unused = CertPathValidator.getInstance("PKIX")
                    .validate(CertificateFactory.getInstance("X.509").generateCertPath(below), parameters);
        } catch (GeneralSecurityException e) {
            throw new CertificateException("the coordinator's certificate: " + e.getMessage(), e);
        }
        ProcessRole role =
                Certificates.identity(chain[0]).map(ProcessIdentity::role).orElse(null);
        if (role != ProcessRole.COORDINATOR) {
            throw new CertificateException("the certificate is not a coordinator's");
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("enrolling processes accept no connections");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
