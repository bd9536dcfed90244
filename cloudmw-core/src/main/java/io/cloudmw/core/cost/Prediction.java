package io.cloudmw.core.cost;

import java.time.Duration;
import java.util.Arrays;

/** What a way of reading is expected to take. Immutable. */
public final class Prediction {
    private final ReadStrategy way;
    private final double[] seconds;
    private final double requests;
    private final double secondAttempts;
    private final double fetchedBytes;

    /**
     * @param seconds of equally likely runs; any order
     * @param requests in the mean
     * @param secondAttempts requests of these that make up for others that are late, in the mean
     * @param fetchedBytes in the mean, used or not
     */
    Prediction(ReadStrategy way, double[] seconds, double requests, double secondAttempts, double fetchedBytes) {
        this.way = way;
        this.seconds = seconds.clone();
        Arrays.sort(this.seconds);
        this.requests = requests;
        this.secondAttempts = secondAttempts;
        this.fetchedBytes = fetchedBytes;
    }

    public ReadStrategy way() {
        return way;
    }

    /** The time that {@code quantile} (0..1) of such reads do not exceed. */
    public Duration time(double quantile) {
        int index = (int) Math.ceil(quantile * seconds.length) - 1;
        double value = seconds[Math.max(0, Math.min(seconds.length - 1, index))];
        return Duration.ofNanos(Math.round(value * 1e9));
    }

    /** Requests to stores, in the mean. */
    public double requests() {
        return requests;
    }

    /** Requests that make up for others that are late, in the mean: what a budget must allow. Ends of blocks taken over are none. */
    public double secondAttempts() {
        return secondAttempts;
    }

    /** Bytes fetched from stores, used or not, in the mean. */
    public double fetchedBytes() {
        return fetchedBytes;
    }
}
