package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.time.WallClock;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A cluster's own authority: a self-signed certificate on the curve P-256 and its key, which signs certificates of
 * processes. Needs Bouncy Castle, which only coordinators have. Safe for any thread.
 */
public final class CertificateAuthority {
    /** The validity of an authority's own certificate. */
    static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);

    /** Clocks of a cluster may differ by this much: a certificate is valid from so long before it was made. */
    private static final Duration BACKDATED = Duration.ofMinutes(10);

    /** A certificate of a short life is backdated by this share of it, since it is renewed after two thirds of its time. */
    private static final int BACKDATED_SHARE = 10;

    private static final int SERIAL_BITS = 128;

    private final CertifiedKey own;
    private final WallClock clock;
    private final SecureRandom random = new SecureRandom();

    /** @param own the authority's certificate and key, and {@link #certifySuccessor} of a former authority, if any */
    public CertificateAuthority(CertifiedKey own, WallClock clock) {
        this.own = own;
        this.clock = clock;
    }

    /** Makes an authority with a new key. */
    public static CertificateAuthority create(WallClock clock) {
        KeyPair key = SigningRequest.newKey();
        String name = "CN=CloudMW authority " + Long.toHexString(new SecureRandom().nextLong());
        X500Principal subject = new X500Principal(name);
        try {
            X509v3CertificateBuilder builder = builder(
                    subject, serial(new SecureRandom()), clock.millis(), AUTHORITY_LIFE, subject, key.getPublic());
            addExtensionsOfAuthority(builder, key.getPublic());
            return new CertificateAuthority(
                    new CertifiedKey(key.getPrivate(), List.of(signed(builder, key.getPrivate()))), clock);
        } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
            throw new IllegalStateException("a new authority cannot sign itself", e);
        }
    }

    private static void addExtensionsOfAuthority(X509v3CertificateBuilder builder, PublicKey key)
            throws GeneralSecurityException, CertIOException {
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                .addExtension(
                        Extension.subjectKeyIdentifier,
                        false,
                        new JcaX509ExtensionUtils().createSubjectKeyIdentifier(key));
    }

    /**
     * Certifies the next authority (a cross-certificate, RFC 4949): who trusts this one alone then trusts what the next
     * one signs. Valid for as long as this authority.
     *
     * @throws CloudMwException {@code INTERNAL} when this authority's key cannot sign
     */
    public X509Certificate certifySuccessor(X509Certificate next) throws CloudMwException {
        long nowMillis = clock.millis();
        long endMillis = certificate().getNotAfter().toInstant().toEpochMilli();
        X509v3CertificateBuilder builder = builder(
                certificate().getSubjectX500Principal(),
                serial(random),
                nowMillis,
                Duration.ofMillis(Math.max(0, endMillis - nowMillis)),
                next.getSubjectX500Principal(),
                next.getPublicKey());
        try {
            addExtensionsOfAuthority(builder, next.getPublicKey());
            return signed(builder, own.key());
        } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
            throw new CloudMwException(ErrorCode.INTERNAL, "certificate authority: " + Reasons.of(e), e);
        }
    }

    /** The authority's own certificate and key. */
    public CertifiedKey own() {
        return own;
    }

    /** The authority's certificate. */
    public X509Certificate certificate() {
        return own.certificate();
    }

    /**
     * Certifies a key for both sides of connections, from now on.
     *
     * @return the new certificate, then the authority's; while it replaces another one, the cross-certificate and the
     *     other one's certificate instead
     * @throws CloudMwException {@code INTERNAL} when the authority's key cannot sign
     */
    public List<X509Certificate> certify(PublicKey key, ProcessIdentity identity, Duration life)
            throws CloudMwException {
        try {
            X509v3CertificateBuilder builder = builder(
                    certificate().getSubjectX500Principal(),
                    serial(random),
                    clock.millis(),
                    life,
                    new X500Principal(
                            "CN=" + identity.id() + ", OU=" + identity.role().word()),
                    key);
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
                        KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
                    }))
                    .addExtension(
                            Extension.subjectAlternativeName,
                            false,
                            new GeneralNames(new GeneralName(GeneralName.uniformResourceIdentifier, identity.uri())))
                    .addExtension(
                            Extension.authorityKeyIdentifier,
                            false,
                            // Without its serial number, which a cross-certificate of the same key does not have.
                            extensions.createAuthorityKeyIdentifier(
                                    certificate().getPublicKey()));
            List<X509Certificate> chain = new ArrayList<>();
            chain.add(signed(builder, own.key()));
            chain.addAll(above());
            return chain;
        } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
            throw new CloudMwException(ErrorCode.INTERNAL, "certificate authority: " + Reasons.of(e), e);
        }
    }

    /** The certificates above those that this authority signs. */
    private List<X509Certificate> above() {
        X500Principal name = certificate().getSubjectX500Principal();
        for (X509Certificate one : own.chain()) {
            X500Principal former = one.getIssuerX500Principal();
            if (one.getSubjectX500Principal().equals(name) && !former.equals(name)) {
                return Stream.concat(
                                Stream.of(one),
                                own.chain().stream()
                                        .filter(other ->
                                                other.getSubjectX500Principal().equals(former)))
                        .toList();
            }
        }
        return List.of(certificate());
    }

    @SuppressWarnings("JavaUtilDate") // Bouncy Castle's
    private static X509v3CertificateBuilder builder(
            X500Principal issuer,
            BigInteger serial,
            long nowMillis,
            Duration life,
            X500Principal subject,
            PublicKey key) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                serial,
                new Date(nowMillis - Math.min(BACKDATED.toMillis(), life.toMillis() / BACKDATED_SHARE)),
                new Date(nowMillis + life.toMillis()),
                subject,
                key);
    }

    private static X509Certificate signed(X509v3CertificateBuilder builder, java.security.PrivateKey key)
            throws OperatorCreationException, GeneralSecurityException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder(SigningRequest.SIGNATURE).build(key)));
    }

    private static BigInteger serial(SecureRandom random) {
        return new BigInteger(SERIAL_BITS, random).setBit(SERIAL_BITS - 1).shiftRight(1);
    }
}
