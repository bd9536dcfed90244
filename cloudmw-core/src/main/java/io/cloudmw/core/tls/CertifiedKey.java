package io.cloudmw.core.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A private key with the chain that certifies it. Never printed.
 *
 * @param chain the key's certificate first, then those of the authorities above it
 */
public record CertifiedKey(PrivateKey key, List<X509Certificate> chain) {
    public CertifiedKey {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("certificate: missing");
        }
    }

    /** The key's own certificate. */
    public X509Certificate certificate() {
        return chain.get(0);
    }

    /** Returns whether the key is the certificate's: what it signs, the certificate verifies. */
    boolean isPair() {
        byte[] message = "CloudMW key check".getBytes(StandardCharsets.US_ASCII);
        try {
            String algorithm = switch (key.getAlgorithm()) {
                case "EC" -> "SHA256withECDSA";
                case "RSA" -> "SHA256withRSA";
                default -> key.getAlgorithm();
            };
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(message);
            byte[] signature = signer.sign();
            signer.initVerify(certificate().getPublicKey());
            signer.update(message);
            return signer.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "CertifiedKey[" + certificate().getSubjectX500Principal() + "]";
    }
}
