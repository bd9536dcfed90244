package io.cloudmw.core.store.http;

import java.time.Duration;

/**
 * The timeouts of reads over HTTP.
 *
 * @param connect to open a connection
 * @param stall without the response's head, and then without a single byte of it
 */
public record HttpTimeouts(Duration connect, Duration stall) {
    public static final HttpTimeouts DEFAULT = new HttpTimeouts(Duration.ofSeconds(3), Duration.ofSeconds(20));

    public HttpTimeouts {
        if (connect.isNegative() || connect.isZero()) {
            throw new IllegalArgumentException("connect: " + connect + " (expected: > 0)");
        }
        if (stall.isNegative() || stall.isZero()) {
            throw new IllegalArgumentException("stall: " + stall + " (expected: > 0)");
        }
    }
}
