package io.cloudmw.core.store.http;

import java.time.Duration;

/**
 * The timeouts of reads over HTTP.
 *
 * @param connect to open a connection
 * @param stall without the response's head, and then without a single byte of it
 * @param turn to wait while all connections to the server are busy
 */
public record HttpTimeouts(Duration connect, Duration stall, Duration turn) {
    public static final HttpTimeouts DEFAULT =
            new HttpTimeouts(Duration.ofSeconds(3), Duration.ofSeconds(20), Duration.ofMinutes(1));

    public HttpTimeouts {
        if (connect.isNegative() || connect.isZero()) {
            throw new IllegalArgumentException("connect: " + connect + " (expected: > 0)");
        }
        if (stall.isNegative() || stall.isZero()) {
            throw new IllegalArgumentException("stall: " + stall + " (expected: > 0)");
        }
        if (turn.isNegative() || turn.isZero()) {
            throw new IllegalArgumentException("turn: " + turn + " (expected: > 0)");
        }
    }
}
