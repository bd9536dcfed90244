package io.cloudmw.it.localstack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A running LocalStack with S3, in path style. Tests get the shared instance as a parameter through {@link
 * LocalStackExtension}; a test that kills one starts its own.
 */
public abstract class LocalStack implements AutoCloseable {
    private static final Pattern ARN = Pattern.compile("\"Arn\": ?\"([^\"]+)\"");
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

    /** Creates a key of KMS in a region, and returns its ARN. */
    public final String createKmsKey(String region) {
        Matcher arn = ARN.matcher(kms(region, "CreateKey", "{}"));
        if (!arn.find()) {
            throw new IllegalStateException("no ARN in the response to CreateKey");
        }
        return arn.group(1);
    }

    /** Disables a key of KMS, so that nothing is encrypted or decrypted with it. */
    public final void disableKmsKey(String region, String arn) {
        String unused = kms(region, "DisableKey", "{\"KeyId\": \"" + arn + "\"}");
    }

    /** Sends a request to KMS. LocalStack takes the region and the service from the signature, and does not check it. */
    private String kms(String region, String action, String body) {
        HttpRequest request = HttpRequest.newBuilder(endpoint())
                .header("X-Amz-Target", "TrentService." + action)
                .header("Content-Type", "application/x-amz-json-1.1")
                .header(
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=" + ACCESS_KEY_ID + "/20260101/" + region
                                + "/kms/aws4_request, SignedHeaders=host, Signature=0")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IllegalStateException(action + ": " + response.statusCode() + " " + response.body());
            }
            return response.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
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
