package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.X509EncodedKeySpec;

/**
 * A request to certify a key on the curve P-256. It has the key and a signature by it, which shows that the sender has the
 * private key. It names no identity, because that is the authority's choice. Immutable; safe for any thread.
 */
public final class SigningRequest {
    /** The longest key or signature. */
    private static final int MAX_BYTES = 1024;

    static final String SIGNATURE = "SHA256withECDSA";
    private static final String CURVE = "secp256r1";
    private static final byte[] PURPOSE = "CloudMW signing request ".getBytes(StandardCharsets.US_ASCII);

    private final byte[] publicKey;
    private final byte[] signature;

    private SigningRequest(byte[] publicKey, byte[] signature) {
        this.publicKey = publicKey.clone();
        this.signature = signature.clone();
    }

    /** Draws a key. */
    public static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(CURVE));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has keys on " + CURVE, e);
        }
    }

    /** Makes the request for a key. */
    public static SigningRequest of(KeyPair key) {
        byte[] encoded = key.getPublic().getEncoded();
        try {
            Signature signer = Signature.getInstance(SIGNATURE);
            signer.initSign(key.getPrivate());
            signer.update(PURPOSE);
            signer.update(encoded);
            return new SigningRequest(encoded, signer.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key of this process cannot sign", e);
        }
    }

    /**
     * Makes a request that was received; {@link #verified} checks it.
     *
     * @param publicKey X.509 {@code SubjectPublicKeyInfo}, in DER
     * @param signature ECDSA with SHA-256, in DER
     */
    public static SigningRequest of(byte[] publicKey, byte[] signature) {
        return new SigningRequest(publicKey, signature);
    }

    /** A copy of the key's encoding. */
    public byte[] publicKey() {
        return publicKey.clone();
    }

    /** A copy of the signature. */
    public byte[] signature() {
        return signature.clone();
    }

    /**
     * Returns the key, whose holder made the request.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is not on P-256, or did not sign the request
     */
    public PublicKey verified() throws CloudMwException {
        if (publicKey.length > MAX_BYTES || signature.length > MAX_BYTES) {
            throw invalid("a key of " + publicKey.length + " bytes, a signature of " + signature.length
                    + " (expected: <= " + MAX_BYTES + ")");
        }
        try {
            PublicKey key = KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(publicKey));
            if (!(key instanceof ECPublicKey curve) || !isExpected(curve.getParams())) {
                throw invalid("a key of another kind (expected: on the curve P-256)");
            }
            Signature verifier = Signature.getInstance(SIGNATURE);
            verifier.initVerify(key);
            verifier.update(PURPOSE);
            verifier.update(publicKey);
            if (!verifier.verify(signature)) {
                throw invalid("not signed by its own key");
            }
            return key;
        } catch (GeneralSecurityException e) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "signing request: " + Reasons.of(e) + " (expected: a key on the curve P-256 and its signature)",
                    e);
        }
    }

    private static boolean isExpected(ECParameterSpec parameters) throws GeneralSecurityException {
        AlgorithmParameters named = AlgorithmParameters.getInstance("EC");
        named.init(new ECGenParameterSpec(CURVE));
        ECParameterSpec expected = named.getParameterSpec(ECParameterSpec.class);
        return parameters.getCurve().equals(expected.getCurve())
                && parameters.getGenerator().equals(expected.getGenerator())
                && parameters.getOrder().equals(expected.getOrder());
    }

    private static CloudMwException invalid(String why) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, "signing request: " + why);
    }
}
