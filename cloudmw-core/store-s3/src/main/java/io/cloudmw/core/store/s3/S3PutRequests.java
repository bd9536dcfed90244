package io.cloudmw.core.store.s3;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Store;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/**
 * The requests that put chunks in one bucket. The checksum follows the body where the server takes that, so that the
 * source is read once and may still arrive. Elsewhere the checksum precedes the body, and the source is read for it
 * first.
 */
record S3PutRequests(Store.S3 bucket, S3Client client, S3Settings settings, ChecksumTrailers trailers) {
    /** Returns whether requests can begin before all bytes are known; may ask the server. */
    boolean takeArrivingSources() {
        return trailers.check(client, bucket);
    }

    PutObjectRequest of(String key, S3Put put) throws CloudMwException {
        PutObjectRequest.Builder request = S3Encryption.of(bucket)
                .ask(PutObjectRequest.builder().bucket(bucket.bucket()).key(key))
                .overrideConfiguration(c -> c.apiCallTimeout(settings.putTimeout(put.length())));
        return trailers.areTaken()
                ? request.checksumAlgorithm(ChecksumAlgorithm.CRC32_C).build()
                : request.checksumCRC32C(put.crc32c()).build();
    }
}
