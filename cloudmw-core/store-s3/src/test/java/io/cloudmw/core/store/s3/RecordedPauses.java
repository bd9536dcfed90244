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

/** Retries as the given strategy does; records its pauses instead of waiting for them. */
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

    /** @param pauses where they are recorded */
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

    /** Otherwise the SDK would take the builder's strategy in its place. */
    @Override
    public boolean useClientDefaults() {
        return false;
    }

    @Override
    public Builder<?, ?> toBuilder() {
        return strategy.toBuilder();
    }
}
