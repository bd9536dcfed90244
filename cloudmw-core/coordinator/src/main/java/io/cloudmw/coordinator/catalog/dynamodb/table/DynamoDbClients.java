package io.cloudmw.coordinator.catalog.dynamodb.table;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.time.Duration;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClientBuilder;

/** The factory of DynamoDB clients. */
public final class DynamoDbClients {
    /** More than the calls that a coordinator runs at once by default. */
    private static final int MAX_CONNECTIONS = 64;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    /** Answers usually take milliseconds. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

    private static final int MAX_ATTEMPTS = 4;
    private static final Duration FIRST_RETRY = Duration.ofMillis(25);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(1);

    private DynamoDbClients() {}

    /** Opens a client. Without a region in the settings, the region comes from the places of AWS tools. */
    public static DynamoDbClient open(DynamoDbSettings settings, AwsCredentialsProvider credentials)
            throws CloudMwException {
        DynamoDbClientBuilder builder = DynamoDbClient.builder()
                .credentialsProvider(credentials)
                .httpClientBuilder(Apache5HttpClient.builder()
                        .maxConnections(MAX_CONNECTIONS)
                        .connectionTimeout(CONNECT_TIMEOUT)
                        .connectionAcquisitionTimeout(ANSWER_TIMEOUT)
                        .socketTimeout(ANSWER_TIMEOUT)
                        .tcpKeepAlive(true))
                .overrideConfiguration(configuration -> configuration.retryStrategy(retries()));
        settings.region().ifPresent(region -> builder.region(Region.of(region)));
        settings.endpoint().ifPresent(builder::endpointOverride);
        try {
            return builder.build();
        } catch (SdkException e) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "catalog table " + settings.table() + ": " + e.getMessage(), e);
        }
    }

    private static RetryStrategy retries() {
        BackoffStrategy backoff = BackoffStrategy.exponentialDelay(FIRST_RETRY, LONGEST_RETRY);
        return AwsRetryStrategy.forRetryMode(RetryMode.STANDARD).toBuilder()
                .maxAttempts(MAX_ATTEMPTS)
                .backoffStrategy(backoff)
                .throttlingBackoffStrategy(backoff)
                .build();
    }
}
