package io.cloudmw.core.store.s3;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest;
import software.amazon.awssdk.retries.api.AcquireInitialTokenResponse;
import software.amazon.awssdk.retries.api.RecordSuccessRequest;
import software.amazon.awssdk.retries.api.RecordSuccessResponse;
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenResponse;
import software.amazon.awssdk.retries.api.RetryStrategy;

/** A retry strategy that records its delays instead of waiting for them. */
final class RecordedPauses implements RetryStrategy {
    private final RetryStrategy strategy;
    private final List<Duration> pauses;

    private RecordedPauses(RetryStrategy strategy, List<Duration> pauses) {
        this.strategy = strategy;
        this.pauses = pauses;
    }

    static List<Duration> list() {
        return new CopyOnWriteArrayList<>();
    }

    /**
     * @param pauses the list of the recorded delays
     */
    static RetryStrategy of(RetryStrategy strategy, List<Duration> pauses) {
        return new RecordedPauses(strategy, pauses);
    }

    @Override
    public AcquireInitialTokenResponse acquireInitialToken(AcquireInitialTokenRequest request) {
        return strategy.acquireInitialToken(request);
    }

    @Override
    public RefreshRetryTokenResponse refreshRetryToken(RefreshRetryTokenRequest request) {
        RefreshRetryTokenResponse response = strategy.refreshRetryToken(request);
        pauses.add(response.delay());
        return RefreshRetryTokenResponse.create(response.token(), Duration.ZERO);
    }

    @Override
    public RecordSuccessResponse recordSuccess(RecordSuccessRequest request) {
        return strategy.recordSuccess(request);
    }

    @Override
    public int maxAttempts() {
        return strategy.maxAttempts();
    }

    /** Keeps the SDK from taking the builder's strategy in its place. */
    @Override
    public boolean useClientDefaults() {
        return false;
    }

    @Override
    public Builder<?, ?> toBuilder() {
        return strategy.toBuilder();
    }
}
