package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.WallClock;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The proofs by which a helper and a coordinator show each other that they know the cluster's join secret, when the
 * helper enrols. Each is an HMAC-SHA256 over the time, a random number, the helper's id and its signing request, or
 * over the answer. A proof is good once: the coordinator remembers the random numbers of those that are not too old.
 * Safe for any thread.
 */
public final class JoinProofs {
    /** The most that a proof may be old, or ahead. */
    public static final Duration VALIDITY = Duration.ofMinutes(5);

    /** The bytes of the random number. */
    public static final int NONCE_BYTES = 16;

    /** The most proofs that are remembered at once. */
    static final int MAX_REMEMBERED = 100_000;

    private final ClusterSecret secret;
    private final WallClock clock;

    /** The random numbers of verified proofs, with their times; the oldest first. */
    private final Map<String, Long> used = new LinkedHashMap<>();

    /**
     * A helper's proof.
     *
     * @param madeMillis when it was made
     * @param nonce {@value #NONCE_BYTES} random bytes, in hexadecimal digits
     * @param signature in hexadecimal digits
     */
    public record JoinProof(long madeMillis, String nonce, String signature) {
        @Override
        public String toString() {
            return "JoinProof[redacted]";
        }
    }

    public JoinProofs(ClusterSecret secret, WallClock clock) {
        this.secret = secret;
        this.clock = clock;
    }

    /** A new proof for this request of a helper. */
    public JoinProof prove(String helper, byte[] request) {
        byte[] random = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(random);
        String nonce = HexFormat.of().formatHex(random);
        long now = clock.millis();
        return new JoinProof(now, nonce, signature(message(now, nonce, helper, request)));
    }

    /**
     * Checks that the sender of a request knows the secret, and that the proof was not used before.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when it does not, when the clocks differ by too much, or when the
     *     proof is a repeated one; {@code OVERLOADED} when too many helpers enrol
     */
    public void verify(String helper, byte[] request, JoinProof proof) throws CloudMwException {
        byte[] message = message(proof.madeMillis(), proof.nonce(), helper, request);
        if (!proof.nonce().matches("[0-9a-f]{" + 2 * NONCE_BYTES + "}") || !verifies(message, proof.signature())) {
            throw refusal("with another join secret: give all processes the same cluster.secret-file");
        }
        long now = clock.millis();
        long late = now - proof.madeMillis();
        if (Math.abs(late) > VALIDITY.toMillis()) {
            throw refusal("with a clock " + Math.abs(late) / 1000 + " s " + (late > 0 ? "behind" : "ahead")
                    + " (expected: <= " + VALIDITY.toSeconds() + " s)");
        }
        remember(proof, now);
    }

    private synchronized void remember(JoinProof proof, long now) throws CloudMwException {
        used.values().removeIf(made -> now - made > VALIDITY.toMillis());
        if (used.containsKey(proof.nonce())) {
            throw refusal("with a proof that was used before");
        }
        if (used.size() >= MAX_REMEMBERED) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED, MAX_REMEMBERED + " processes enrolled within " + VALIDITY.toSeconds() + " s");
        }
        used.put(proof.nonce(), proof.madeMillis());
    }

    /**
     * The signature of the answer to a proof, in hexadecimal digits.
     *
     * @param certificates of the answer, in their order
     */
    public String answer(JoinProof proof, List<byte[]> certificates) {
        return signature(answerMessage(proof, certificates));
    }

    /**
     * Checks that an answer comes from a process that knows the secret.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when it does not
     */
    public void verifyAnswer(JoinProof proof, List<byte[]> certificates, String signature) throws CloudMwException {
        if (!verifies(answerMessage(proof, certificates), signature)) {
            throw new CloudMwException(
                    ErrorCode.UNAUTHENTICATED,
                    "the coordinator does not know the join secret: give all processes the same cluster.secret-file");
        }
    }

    private boolean verifies(byte[] message, String signature) {
        return signature.matches("[0-9a-f]{64}")
                && secret.verifies(message, message.length, HexFormat.of().parseHex(signature));
    }

    private String signature(byte[] message) {
        return HexFormat.of().formatHex(secret.sign(message, message.length));
    }

    /** The signed text. Its first word differs from those of {@link MemberProofs} and of tokens. */
    private static byte[] message(long madeMillis, String nonce, String helper, byte[] request) {
        return text("join " + madeMillis + " " + nonce + " " + sha256(List.of(request)) + " " + helper);
    }

    private static byte[] answerMessage(JoinProof proof, List<byte[]> certificates) {
        return text("joined " + proof.nonce() + " " + sha256(certificates));
    }

    private static byte[] text(String message) {
        return message.getBytes(StandardCharsets.UTF_8);
    }

    /** Digests parts with their lengths, so that bytes cannot move from one to another. */
    private static String sha256(List<byte[]> parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update((part.length + " ").getBytes(StandardCharsets.US_ASCII));
                digest.update(part);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    private static CloudMwException refusal(String how) {
        return new CloudMwException(ErrorCode.UNAUTHENTICATED, "the helper came " + how);
    }
}
