package io.cloudmw.it.localstack;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A running LocalStack with S3, in path style. Tests get the shared instance as a parameter through {@link
 * LocalStackExtension}; a test that kills one starts its own.
 */
public abstract class LocalStack implements AutoCloseable {
    public static final String ACCESS_KEY_ID = "test";
    public static final String SECRET_ACCESS_KEY = "test";

    /**
     * Starts an instance that only the caller uses, may kill and must close.
     *
     * @throws IllegalStateException naming what is missing, when none can be started here
     */
    public static LocalStack startPrivate() {
        return LocalStackStarter.startNew();
    }

    /**
     * Returns a setting of the integration tests: a system property, or an environment variable, {@code a.b} as {@code
     * A_B}.
     */
    public static Optional<String> setting(String property) {
        return LocalStackStarter.setting(property);
    }

    /** Returns {@code http://127.0.0.1:port}. */
    public abstract URI endpoint();

    /** Kills the instance, like a crash. */
    public abstract void kill();

    /** Stops the instance in an orderly way. Idempotent. */
    @Override
    public abstract void close();

    /** Returns the environment variables with which a process has access. */
    public final Map<String, String> environment() {
        return Map.of(
                "AWS_ACCESS_KEY_ID", ACCESS_KEY_ID,
                "AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY,
                "AWS_EC2_METADATA_DISABLED", "true");
    }

    /** Returns a client to prepare and inspect buckets; the caller closes it. */
    public final S3Client s3(String region) {
        return S3Client.builder()
                .endpointOverride(endpoint())
                .forcePathStyle(true)
                .region(Region.of(region))
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY_ID, SECRET_ACCESS_KEY)))
                .build();
    }

    /** Creates a bucket in a region. */
    public final void createBucket(String bucket, String region) {
        try (S3Client s3 = s3(region)) {
            s3.createBucket(request -> {
                request.bucket(bucket);
                if (!region.equals("us-east-1")) {
                    request.createBucketConfiguration(c -> c.locationConstraint(region));
                }
            });
        }
    }
}
