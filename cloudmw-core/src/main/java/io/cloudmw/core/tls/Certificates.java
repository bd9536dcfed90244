package io.cloudmw.core.tls;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Reads what certificates say. Stateless; safe for any thread. */
public final class Certificates {
    /** The longest certificate. */
    public static final int MAX_BYTES = 64 << 10;

    /** {@code GeneralName} of RFC 5280, 4.2.1.6. */
    private static final int URI = 6;

    private Certificates() {}

    /**
     * Decodes a certificate.
     *
     * @param der as encoded by {@link X509Certificate#getEncoded}
     * @throws CertificateException when it is none
     */
    public static X509Certificate decode(byte[] der) throws CertificateException {
        if (der.length > MAX_BYTES) {
            throw new CertificateException(der.length + " bytes (expected: <= " + MAX_BYTES + ")");
        }
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
    }

    /** The identity of the certificate's holder; empty: it names none. The first of several counts. */
    public static Optional<ProcessIdentity> identity(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? Optional.empty()
                    : names.stream()
                            .filter(name -> Integer.valueOf(URI).equals(name.get(0)))
                            .flatMap(name -> ProcessIdentity.parse(String.valueOf(name.get(1))).stream())
                            .findFirst();
        } catch (CertificateParsingException e) {
            return Optional.empty();
        }
    }

    /** The identity of the peer in a session whose handshake is over; empty: it showed no certificate. */
    public static Optional<ProcessIdentity> peer(SSLSession session) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain.length > 0 && chain[0] instanceof X509Certificate found ? identity(found) : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty();
        }
    }

    /** The SHA-256 of the certificate's public key, in hexadecimal digits: the same for all certificates of one key. */
    public static String fingerprint(X509Certificate certificate) {
        return sha256(certificate.getPublicKey().getEncoded());
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
