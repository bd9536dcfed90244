package io.cloudmw.core.store.s3;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.util.List;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The deletion of all objects below a store's prefix, and of the bucket. Confined to one thread; calls block on the
 * bucket.
 */
final class S3Erasure {
    private final S3Client client;
    private final Store.S3 bucket;
    private final SdkErrors errors;

    S3Erasure(S3Client client, StoreId store, Store.S3 bucket) {
        this.client = client;
        this.bucket = bucket;
        this.errors = new SdkErrors(store, bucket);
    }

    /** Returns the number of deleted objects. */
    long deleteObjects() throws CloudMwException {
        long deleted = 0;
        try {
            String after = "";
            for (List<S3Object> page = list(after); !page.isEmpty(); page = list(after)) {
                for (S3Object object : page) {
                    client.deleteObject(
                            request -> request.bucket(bucket.bucket()).key(object.key()));
                    after = object.key();
                    deleted++;
                }
            }
        } catch (SdkException e) {
            throw errors.translate("prefix " + bucket.prefix(), e);
        }
        return deleted;
    }

    private List<S3Object> list(String after) {
        ListObjectsV2Request.Builder request =
                ListObjectsV2Request.builder().bucket(bucket.bucket()).prefix(bucket.prefix());
        if (!after.isEmpty()) {
            request.startAfter(after);
        }
        return client.listObjectsV2(request.build()).contents();
    }

    /** Returns false when the bucket has objects, and stays. */
    boolean deleteBucket() throws CloudMwException {
        try {
            client.deleteBucket(request -> request.bucket(bucket.bucket()));
            return true;
        } catch (S3Exception e) {
            if (e.statusCode() == 409) {
                return false;
            }
            throw errors.translate("delete bucket", e);
        } catch (SdkException e) {
            throw errors.translate("delete bucket", e);
        }
    }
}
