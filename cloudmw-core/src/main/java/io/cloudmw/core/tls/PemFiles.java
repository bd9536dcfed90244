package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.security.SecretFiles;
import io.grpc.util.CertificateUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * PEM files (RFC 7468) with keys and certificates. A key is PKCS #8, of RSA or an elliptic curve, without a password.
 * Stateless; safe for any thread.
 */
public final class PemFiles {
    /** The longest file. */
    private static final int MAX_BYTES = 1 << 20;

    private static final String KEY = "PRIVATE KEY";
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final int LINE = 64;

    private PemFiles() {}

    /**
     * Reads the key of a process and the certificates of the authorities that it trusts. The three files may be one; the
     * authorities are then its self-signed certificates.
     *
     * @throws CloudMwException {@code LOCAL_IO} when a file cannot be read, or others than its owner can read the key's;
     *     {@code INVALID_ARGUMENT} when a file is no such PEM file, or the key is not the certificate's
     */
    public static TlsMaterial material(TlsFiles files) throws CloudMwException {
        CertifiedKey own = certifiedKey(files.key(), files.certificate());
        List<X509Certificate> authorities = certificates(files.authorities(), read(files.authorities()));
        if (files.authorities().equals(files.certificate())) {
            authorities = authorities.stream()
                    .filter(one -> one.getSubjectX500Principal().equals(one.getIssuerX500Principal()))
                    .toList();
        }
        if (authorities.isEmpty() || authorities.size() > TlsMaterial.MAX_AUTHORITIES) {
            throw invalid(
                    files.authorities(),
                    authorities.size() + " certificates of authorities (expected: 1.." + TlsMaterial.MAX_AUTHORITIES
                            + ")",
                    null);
        }
        return new TlsMaterial(Optional.of(own), authorities);
    }

    /** Reads a key and its chain, which may be in one file. Fails as {@link #material}. */
    public static CertifiedKey certifiedKey(Path keyFile, Path certificateFile) throws CloudMwException {
        PrivateKey key = key(keyFile, SecretFiles.read("key file", keyFile, MAX_BYTES));
        List<X509Certificate> chain = certificates(certificateFile, read(certificateFile));
        if (chain.isEmpty()) {
            throw invalid(certificateFile, "no certificate (expected: -----BEGIN CERTIFICATE-----)", null);
        }
        CertifiedKey own = new CertifiedKey(key, chain);
        if (!own.isPair()) {
            throw invalid(keyFile, "its key is not the one of the first certificate in " + certificateFile, null);
        }
        return own;
    }

    private static PrivateKey key(Path file, byte[] content) throws CloudMwException {
        String block = blocks(content, KEY);
        if (block.isEmpty()) {
            boolean isOther = new String(content, StandardCharsets.US_ASCII).contains(KEY);
            throw invalid(
                    file,
                    isOther
                            ? "a private key in another form (expected: PKCS #8, as of"
                                    + " openssl pkcs8 -topk8 -nocrypt -in KEY -out NEW-KEY)"
                            : "no private key (expected: -----BEGIN PRIVATE KEY-----)",
                    null);
        }
        try {
            return CertificateUtils.getPrivateKey(stream(block));
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            // A block that is no Base64 is reported by an unchecked exception.
            throw invalid(file, "its key cannot be parsed: " + Reasons.of(e), e);
        }
    }

    private static List<X509Certificate> certificates(Path file, byte[] content) throws CloudMwException {
        try {
            return List.of(CertificateUtils.getX509Certificates(stream(blocks(content, CERTIFICATE))));
        } catch (GeneralSecurityException e) {
            throw invalid(file, "its certificates cannot be parsed: " + Reasons.of(e), e);
        }
    }

    /** The blocks of one kind, without what is between them. */
    private static String blocks(byte[] content, String kind) {
        return Pattern.compile("-----BEGIN " + kind + "-----[^-]*-----END " + kind + "-----")
                .matcher(new String(content, StandardCharsets.US_ASCII))
                .results()
                .map(found -> found.group() + "\n")
                .collect(Collectors.joining());
    }

    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] read(Path file) throws CloudMwException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw invalid(file, "longer than " + MAX_BYTES + " bytes", null);
            }
            return Files.readAllBytes(file);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "PEM file " + file + ": cannot be read: " + Reasons.of(e), e);
        }
    }

    /** The text of a file with a key, its chain and certificates of authorities. */
    public static byte[] text(CertifiedKey own, List<X509Certificate> authorities) {
        StringBuilder text = new StringBuilder();
        append(text, KEY, own.key().getEncoded());
        try {
            for (X509Certificate certificate : own.chain()) {
                append(text, CERTIFICATE, certificate.getEncoded());
            }
            for (X509Certificate authority : authorities) {
                if (!own.chain().contains(authority)) {
                    append(text, CERTIFICATE, authority.getEncoded());
                }
            }
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate without an encoding", e);
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static void append(StringBuilder text, String kind, byte[] der) {
        text.append("-----BEGIN ").append(kind).append("-----\n");
        text.append(Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(der));
        text.append("\n-----END ").append(kind).append("-----\n");
    }

    private static CloudMwException invalid(Path file, String why, @Nullable Throwable cause) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, "PEM file " + file + ": " + why, cause);
    }
}
