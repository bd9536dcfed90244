package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secret key that all processes of a cluster share. While the key is being replaced there are two: the first signs,
 * and signatures of both are accepted. Immutable; safe for any thread; never printed.
 */
public final class ClusterSecret {
    public static final int MIN_BYTES = 32;

    /**
     * The default secret file, the same for all processes of a user, so that a cluster on one machine needs no setting.
     */
    public static final Path DEFAULT_FILE = SecretFiles.DIRECTORY.resolve("cluster.secret");

    private static final Logger LOG = LoggerFactory.getLogger(ClusterSecret.class);
    private static final String FILE = "secret file";
    private static final int MAX_BYTES = 4096;
    /** The most keys in a file: the one that signs, and its predecessor or successor. */
    private static final int MAX_KEYS = 2;

    private static final String ALGORITHM = "HmacSHA256";

    private final List<Key> keys;

    private ClusterSecret(List<Key> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * Makes a secret of these bytes.
     *
     * @param secret copied
     * @throws IllegalArgumentException when it is shorter than {@value #MIN_BYTES} bytes
     */
    public static ClusterSecret of(byte[] secret) {
        if (secret.length < MIN_BYTES || secret.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "secret: " + secret.length + " bytes (expected: " + MIN_BYTES + ".." + MAX_BYTES + ")");
        }
        return new ClusterSecret(List.of(new Key(secret)));
    }

    /** Makes a secret with the keys of both: the first signs. */
    private ClusterSecret with(ClusterSecret other) {
        return new ClusterSecret(
                Stream.concat(keys.stream(), other.keys.stream()).toList());
    }

    /**
     * Reads the secret from a file, which has one key, or two while the key is being replaced. Each key is a line: all
     * its bytes, without white space at its end. Empty lines do not count.
     *
     * @throws CloudMwException {@code LOCAL_IO} when the file cannot be read; {@code INVALID_ARGUMENT} when it has no
     *     key or more than two, or when a key is too short or too long
     */
    public static ClusterSecret read(Path file) throws CloudMwException {
        try {
            return ofLines(SecretFiles.read(FILE, file, MAX_BYTES));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, FILE + " " + file + ": " + e.getMessage());
        }
    }

    /**
     * Reads the secret, or creates the file with a random secret that only its owner may read, and logs that. When
     * several processes do so at once, one creates it and the others read it.
     *
     * @throws CloudMwException as {@link #read}; {@code LOCAL_IO} also when there is no directory for the file, unless it
     *     is {@link #DEFAULT_FILE}, whose directory is created
     */
    public static ClusterSecret readOrCreate(Path file) throws CloudMwException {
        if (!Files.exists(file)) {
            create(file);
        }
        return read(file);
    }

    private static void create(Path file) throws CloudMwException {
        byte[] random = new byte[MIN_BYTES];
        new SecureRandom().nextBytes(random);
        byte[] text = (HexFormat.of().formatHex(random) + "\n").getBytes(StandardCharsets.US_ASCII);
        if (SecretFiles.create(FILE, file, text)) {
            LOG.info(
                    "there was no secret file {}: created it with a new secret (all processes of a cluster need the"
                            + " same; copy this file to other machines, or that of the cluster to here)",
                    file.toAbsolutePath());
        }
    }

    private static ClusterSecret ofLines(byte[] bytes) {
        List<byte[]> lines = lines(bytes);
        if (lines.isEmpty() || lines.size() > MAX_KEYS) {
            throw new IllegalArgumentException(
                    lines.size() + " lines with a key (expected: 1.." + MAX_KEYS + ", each of them a line)");
        }
        return lines.stream().map(ClusterSecret::of).reduce(ClusterSecret::with).orElseThrow();
    }

    private static List<byte[]> lines(byte[] bytes) {
        List<byte[]> lines = new ArrayList<>();
        int start = 0;
        for (int end = 0; end <= bytes.length; end++) {
            if (end == bytes.length || bytes[end] == '\n') {
                byte[] line = withoutTrailingSpace(Arrays.copyOfRange(bytes, start, end));
                if (line.length > 0) {
                    lines.add(line);
                }
                start = end + 1;
            }
        }
        return lines;
    }

    private static byte[] withoutTrailingSpace(byte[] bytes) {
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] <= ' ' && bytes[length - 1] >= 0) {
            length--;
        }
        return Arrays.copyOf(bytes, length);
    }

    /** Returns a secret whose keys are derived from these, each by the same label. */
    ClusterSecret derived(byte[] label) {
        return new ClusterSecret(
                keys.stream().map(key -> new Key(key.sign(label, label.length))).toList());
    }

    /** Returns the signature of the first bytes of a message. */
    byte[] sign(byte[] message, int length) {
        return keys.get(0).sign(message, length);
    }

    /** Returns whether a process with one of these keys has signed the first bytes of a message. */
    boolean verifies(byte[] message, int length, byte[] signature) {
        return keys.stream().anyMatch(key -> MessageDigest.isEqual(key.sign(message, length), signature));
    }

    /** A key of HMAC-SHA256. */
    private static final class Key {
        private final SecretKeySpec key;
        /** The prototype of a MAC. Copies of it sign, which is far cheaper than looking up an implementation each time. */
        private final Mac ready;

        Key(byte[] secret) {
            key = new SecretKeySpec(secret, ALGORITHM);
            ready = keyed();
        }

        byte[] sign(byte[] message, int length) {
            Mac mac = copy();
            mac.update(message, 0, length);
            return mac.doFinal();
        }

        private Mac copy() {
            try {
                return (Mac) ready.clone();
            } catch (CloneNotSupportedException e) {
                return keyed(); // some hardware implementations cannot be copied
            }
        }

        private Mac keyed() {
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(key);
                return mac;
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java runtime has " + ALGORITHM, e);
            }
        }
    }

    @Override
    public String toString() {
        return "ClusterSecret[redacted]";
    }
}
