package io.cloudmw.core.tls;

import io.netty.handler.ssl.OpenSslCertificateException;
import java.net.Socket;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertPathValidatorException.Reason;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A trust manager that tells why another one refuses a peer's certificate: in words for this process's logs, and by the
 * alert of TLS that the peer receives. Safe for any thread.
 */
final class ExplainingTrustManager extends X509ExtendedTrustManager {
    // Codes of OpenSSL's X.509 verification, by which it chooses the alert.
    private static final int NOT_YET_VALID = 9;
    private static final int EXPIRED = 10;
    private static final int NO_ISSUER = 20;
    private static final int REJECTED = 28;

    private final X509ExtendedTrustManager trust;

    ExplainingTrustManager(X509ExtendedTrustManager trust) {
        this.trust = trust;
    }

    private interface Check {
        void run() throws CertificateException;
    }

    private static void explain(Check check) throws CertificateException {
        try {
            check.run();
        } catch (CertificateException e) {
            throw explained(e);
        }
    }

    private static CertificateException explained(CertificateException refusal) {
        boolean isUnknown = false;
        for (@Nullable Throwable cause = refusal; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertPathValidatorException invalid) {
                Reason reason = invalid.getReason();
                if (reason == BasicReason.EXPIRED) {
                    return told("the certificate of the other side has expired", EXPIRED);
                }
                if (reason == BasicReason.NOT_YET_VALID) {
                    return told("the certificate of the other side is not good yet", NOT_YET_VALID);
                }
                isUnknown |= reason != BasicReason.ALGORITHM_CONSTRAINED;
            }
            isUnknown |= cause instanceof CertPathBuilderException;
        }
        return isUnknown
                ? told(
                        "the certificate of the other side is of an authority that this process does not trust",
                        NO_ISSUER)
                : told(Optional.ofNullable(refusal.getMessage()).orElse("the certificate is not good"), REJECTED);
    }

    private static CertificateException told(String why, int code) {
        return new OpenSslCertificateException(why, code);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        explain(() -> trust.checkClientTrusted(chain, type, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        explain(() -> trust.checkClientTrusted(chain, type, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        explain(() -> trust.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        explain(() -> trust.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        explain(() -> trust.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        explain(() -> trust.checkServerTrusted(chain, type));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }
}
