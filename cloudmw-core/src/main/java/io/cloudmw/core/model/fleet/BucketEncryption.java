package io.cloudmw.core.model.fleet;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The encryption at rest that an S3 store is asked for with every object that it is to keep. No secret.
 *
 * @param kmsKey the key of {@link Mode#KMS}, by its ARN or its id; empty: the account's own key for S3
 * @param bucketKey whether the store derives the keys of objects from a key of the bucket, which asks KMS less often
 */
public record BucketEncryption(Mode mode, String kmsKey, boolean bucketKey) {
    /** No request: objects are encrypted as the bucket's own settings say. */
    public static final BucketEncryption NONE = new BucketEncryption(Mode.NONE, "", false);

    /** With keys that the store keeps by itself. */
    public static final BucketEncryption AES256 = new BucketEncryption(Mode.AES256, "", false);

    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9:/._-]{0,2047}");

    public BucketEncryption {
        if (mode != Mode.KMS && (!kmsKey.isEmpty() || bucketKey)) {
            throw new IllegalArgumentException("encryption " + mode.word() + ": with a "
                    + (kmsKey.isEmpty() ? "bucket key" : "KMS key") + " (expected: " + Mode.KMS.word() + ")");
        }
        if (!kmsKey.isEmpty() && !KEY.matcher(kmsKey).matches()) {
            throw new IllegalArgumentException("KMS key: \"" + kmsKey.replaceAll("\\p{Cntrl}", "?")
                    + "\" (expected: arn:aws:kms:REGION:ACCOUNT:key/ID, or ID)");
        }
        if (kmsKey.startsWith("alias/") || kmsKey.contains(":alias/")) {
            throw new IllegalArgumentException("KMS key: \"" + kmsKey
                    + "\" (expected: the key's ARN or id, because the store answers with the key and not the alias)");
        }
    }

    /** The ways to encrypt objects. */
    public enum Mode {
        /** As the bucket's own settings say. */
        NONE("none"),
        /** SSE-S3. */
        AES256("AES256"),
        /** SSE-KMS. */
        KMS("aws:kms");

        private final String word;

        Mode(String word) {
            this.word = word;
        }

        /** The name of this mode in requests to S3 and in commands. */
        public String word() {
            return word;
        }

        /**
         * The mode of a name.
         *
         * @throws IllegalArgumentException when there is none
         */
        public static Mode of(String word) {
            Optional<Mode> found = Arrays.stream(values())
                    .filter(mode -> mode.word.equals(word))
                    .findFirst();
            return found.orElseThrow(() -> new IllegalArgumentException("encryption: \"" + word + "\" (expected: "
                    + Arrays.stream(values()).map(Mode::word).collect(Collectors.joining(", ")) + ")"));
        }
    }

    /** With a key of KMS. */
    public static BucketEncryption kms(String key, boolean bucketKey) {
        return new BucketEncryption(Mode.KMS, key, bucketKey);
    }

    /** Returns whether an object is encrypted with the wanted key, by the key that the store names for the object. */
    public boolean hasKey(String answered) {
        return kmsKey.isEmpty()
                || answered.equals(kmsKey)
                || answered.endsWith("/" + kmsKey)
                || answered.endsWith(":" + kmsKey);
    }

    /** The encryption's text for people. */
    public String describe() {
        return mode.word() + (kmsKey.isEmpty() ? "" : " with key " + kmsKey) + (bucketKey ? " and a bucket key" : "");
    }
}
