package io.cloudmw.core.store.s3;

import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import java.util.Optional;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/** The encryption at rest of one bucket's objects: the headers of requests and the check of responses. */
record S3Encryption(BucketEncryption wanted) {
    static S3Encryption of(Store.S3 bucket) {
        return new S3Encryption(bucket.encryption());
    }

    /** Returns the request, which now asks for the encryption. */
    PutObjectRequest.Builder ask(PutObjectRequest.Builder request) {
        if (wanted.mode() == BucketEncryption.Mode.NONE) {
            return request;
        }
        request.serverSideEncryption(
                ServerSideEncryption.fromValue(wanted.mode().word()));
        if (!wanted.kmsKey().isEmpty()) {
            request.ssekmsKeyId(wanted.kmsKey());
        }
        return wanted.bucketKey() ? request.bucketKeyEnabled(true) : request;
    }

    /** The difference between the encryption that a response names and the wanted one; empty: none. */
    Optional<String> difference(PutObjectResponse response) {
        if (wanted.mode() == BucketEncryption.Mode.NONE) {
            return Optional.empty();
        }
        String mode = response.serverSideEncryptionAsString();
        if (mode == null || mode.isEmpty()) {
            return Optional.of("the store ignores it and names no encryption");
        }
        if (!mode.equals(wanted.mode().word())) {
            return Optional.of("the store encrypts with " + mode);
        }
        String key = response.ssekmsKeyId() == null ? "" : response.ssekmsKeyId();
        if (!wanted.hasKey(key)) {
            return Optional.of(
                    "the store encrypts with " + (key.isEmpty() ? "a key that it does not name" : "key " + key));
        }
        boolean derived = Boolean.TRUE.equals(response.bucketKeyEnabled());
        return wanted.bucketKey() && !derived
                ? Optional.of("the store uses no bucket key, and asks KMS for each object")
                : Optional.empty();
    }
}
