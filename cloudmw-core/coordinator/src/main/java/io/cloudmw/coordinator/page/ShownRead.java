package io.cloudmw.coordinator.page;

/**
 * A recorded read on the web page, without its attempts.
 *
 * @param state {@code RUNNING}, {@code DELIVERED}, {@code FAILED}, or {@code SILENT}: its reader stopped reporting
 * @param beganMillis when it was planned, by the coordinator's clock
 * @param elapsedNanos until its end or its last report
 * @param wantedBytes bytes that the read delivers
 * @param error empty unless it failed
 * @param limitNanos the time that its volume's target allows; 0: there is no target
 */
public record ShownRead(
        String id,
        String volume,
        String path,
        String mode,
        String state,
        long beganMillis,
        long elapsedNanos,
        long wantedBytes,
        String error,
        long limitNanos) {}
