package io.cloudmw.cli.cluster;

import io.cloudmw.core.model.fleet.BucketEncryption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options about the encryption at rest that a bucket is asked for with each object. */
final class EncryptionOptions {
    @Option(
            names = "--sse",
            paramLabel = "MODE",
            description = "encrypt new objects with AES256 or aws:kms; none: as the bucket's own settings say")
    private @Nullable String mode;

    @Option(
            names = "--kms-key",
            paramLabel = "ARN",
            description = "the key of aws:kms (default: the account's own key for S3)")
    private @Nullable String key;

    @Option(
            names = "--bucket-key",
            description = "derive the keys of objects from a key of the bucket, which asks KMS less often")
    private boolean bucketKey;

    /**
     * Returns the given encryption; empty without any option.
     *
     * @throws IllegalArgumentException when a key is given without {@code --sse aws:kms}
     */
    Optional<BucketEncryption> encryption() {
        if (mode != null) {
            return Optional.of(new BucketEncryption(BucketEncryption.Mode.of(mode), key == null ? "" : key, bucketKey));
        }
        if (key != null || bucketKey) {
            throw new IllegalArgumentException(
                    (key != null ? "--kms-key" : "--bucket-key") + ": given without --sse aws:kms");
        }
        return Optional.empty();
    }
}
