package io.cloudmw.core.store.s3;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.BucketMarker;
import io.cloudmw.core.identity.BucketMarkers;
import io.cloudmw.core.model.fleet.Store;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** The markers of buckets as objects, through the clients of {@link S3Stores}. */
final class S3Markers implements BucketMarkers {
    /** The client for a store's bucket. */
    @FunctionalInterface
    interface Clients {
        S3Client of(Store store, Store.S3 bucket) throws CloudMwException;
    }

    private static final String WHAT = "marker " + BucketMarker.NAME;

    private final Clients clients;

    S3Markers(Clients clients) {
        this.clients = clients;
    }

    @Override
    public Optional<BucketMarker> read(Store store) throws CloudMwException {
        Store.S3 bucket = S3Stores.bucket(store);
        String key = key(bucket);
        try {
            ResponseBytes<GetObjectResponse> found = clients.of(store, bucket)
                    .getObjectAsBytes(request ->
                            request.bucket(bucket.bucket()).key(key).range("bytes=0-" + (BucketMarker.MAX_LENGTH - 1)));
            return Optional.of(BucketMarker.parse(found.asString(StandardCharsets.UTF_8)));
        } catch (SdkException e) {
            CloudMwException failure = new SdkErrors(store.id(), bucket).translate(WHAT, e);
            if (failure.code() == ErrorCode.REPLICA_MISSING) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    @Override
    public boolean write(Store store, BucketMarker marker, boolean replace) throws CloudMwException {
        Store.S3 bucket = S3Stores.bucket(store);
        PutObjectRequest.Builder request = S3Encryption.of(bucket)
                .ask(PutObjectRequest.builder().bucket(bucket.bucket()).key(key(bucket)))
                .contentType("application/json");
        try {
            clients.of(store, bucket)
                    .putObject(
                            replace ? request.build() : request.ifNoneMatch("*").build(),
                            RequestBody.fromString(marker.text()));
            return true;
        } catch (S3Exception e) {
            if (!replace && (e.statusCode() == 412 || e.statusCode() == 409)) {
                return false;
            }
            if (!replace && e.statusCode() == 501) {
                // Some stores lack conditions: reading before writing is the safest way there.
                return read(store).isEmpty() && write(store, marker, true);
            }
            throw new SdkErrors(store.id(), bucket).translate(WHAT, e);
        } catch (SdkException e) {
            throw new SdkErrors(store.id(), bucket).translate(WHAT, e);
        }
    }

    private static String key(Store.S3 bucket) {
        return bucket.prefix() + BucketMarker.NAME;
    }
}
