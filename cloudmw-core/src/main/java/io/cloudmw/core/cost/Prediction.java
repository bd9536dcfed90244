package io.cloudmw.core.cost;

import java.time.Duration;
import java.util.Arrays;

/** The predicted time, requests and bytes of a read strategy. Immutable. */
public final class Prediction {
    private final ReadStrategy strategy;
    private final double[] seconds;
    private final double requests;
    private final double secondAttempts;
    private final double fetchedBytes;

    /**
     * @param seconds of equally likely runs; any order
     * @param requests the mean
     * @param secondAttempts the mean number of requests beside late ones
     * @param fetchedBytes the mean, used or not
     */
    public Prediction(
            ReadStrategy strategy, double[] seconds, double requests, double secondAttempts, double fetchedBytes) {
        this.strategy = strategy;
        this.seconds = seconds.clone();
        Arrays.sort(this.seconds);
        this.requests = requests;
        this.secondAttempts = secondAttempts;
        this.fetchedBytes = fetchedBytes;
    }

    /** The predicted way to read. */
    public ReadStrategy strategy() {
        return strategy;
    }

    /** The time that a share {@code quantile} (0..1) of such reads does not exceed. */
    public Duration time(double quantile) {
        int index = (int) Math.ceil(quantile * seconds.length) - 1;
        double value = seconds[Math.max(0, Math.min(seconds.length - 1, index))];
        return Duration.ofNanos(Math.round(value * 1e9));
    }

    /** The mean number of requests to stores. */
    public double requests() {
        return requests;
    }

    /**
     * The mean number of second attempts beside late ones, which a budget must allow. Stolen ends of blocks do not
     * count.
     */
    public double secondAttempts() {
        return secondAttempts;
    }

    /** The mean number of bytes fetched from stores, used or not. */
    public double fetchedBytes() {
        return fetchedBytes;
    }
}
