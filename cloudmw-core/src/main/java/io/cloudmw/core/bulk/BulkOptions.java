package io.cloudmw.core.bulk;

import io.cloudmw.core.bulk.frame.FrameLimits;
import java.time.Duration;

/**
 * The limits of a {@link BulkTransport}, each enforced on every connection.
 *
 * @param maxStreams streams a peer may have open at once on one connection; sent to it in the handshake
 * @param maxConnections connections a {@link BulkServer} has at once, handshakes included
 * @param maxFrameBytes longest payload of a data frame received or sent
 * @param outboundWatermarkBytes bytes of one connection handed to the socket and not yet taken by the kernel; beyond
 *     it frames wait in their streams' queues
 * @param streamQueueBytes bytes one stream queues for sending, whatever the peer's credit
 * @param controlQueueBytes bytes of frames other than data that may wait for a peer that does not read
 * @param handshakeTimeout time for connecting and shaking hands together
 * @param idleTimeout a connection without any traffic for this long, although the peer was pinged, is closed
 * @param fileRegions whether the kernel sends files without copying; false copies them through memory, as
 *     connections under TLS always do
 * @param busyPoll how long an event loop busy-polls after a small request ({@link BulkConnection#expect}) while such
 *     requests follow one another; zero: never
 */
public record BulkOptions(
        int maxStreams,
        int maxConnections,
        int maxFrameBytes,
        int outboundWatermarkBytes,
        int streamQueueBytes,
        int controlQueueBytes,
        Duration handshakeTimeout,
        Duration idleTimeout,
        boolean fileRegions,
        Duration busyPoll) {
    /** The longest busy poll: for longer waits a thread had better sleep. */
    public static final Duration LONGEST_BUSY_POLL = Duration.ofMillis(10);

    private static final BulkOptions DEFAULTS = new BulkOptions(
            256,
            4096,
            FrameLimits.MAX_DATA_BYTES,
            1 << 20,
            4 << 20,
            1 << 20,
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            true,
            Duration.ZERO);

    public BulkOptions {
        require("maxStreams", maxStreams, 1, 1 << 16);
        require("maxConnections", maxConnections, 1, 1 << 20);
        require("maxFrameBytes", maxFrameBytes, 1, FrameLimits.MAX_DATA_BYTES);
        require("outboundWatermarkBytes", outboundWatermarkBytes, 1, 1 << 30);
        require("streamQueueBytes", streamQueueBytes, maxFrameBytes, 1 << 30);
        require("controlQueueBytes", controlQueueBytes, 2 * FrameLimits.MAX_CONTROL_BYTES, 1 << 30);
        require("handshakeTimeout", handshakeTimeout);
        require("idleTimeout", idleTimeout);
        if (busyPoll.isNegative() || busyPoll.compareTo(LONGEST_BUSY_POLL) > 0) {
            throw new IllegalArgumentException("busyPoll: " + busyPoll + " (expected: 0.." + LONGEST_BUSY_POLL + ")");
        }
    }

    /** The defaults, for helpers and clients alike. */
    public static BulkOptions defaults() {
        return DEFAULTS;
    }

    public BulkOptions withMaxStreams(int value) {
        return new BulkOptions(
                value,
                maxConnections,
                maxFrameBytes,
                outboundWatermarkBytes,
                streamQueueBytes,
                controlQueueBytes,
                handshakeTimeout,
                idleTimeout,
                fileRegions,
                busyPoll);
    }

    public BulkOptions withMaxConnections(int value) {
        return new BulkOptions(
                maxStreams,
                value,
                maxFrameBytes,
                outboundWatermarkBytes,
                streamQueueBytes,
                controlQueueBytes,
                handshakeTimeout,
                idleTimeout,
                fileRegions,
                busyPoll);
    }

    public BulkOptions withMaxFrameBytes(int value) {
        return new BulkOptions(
                maxStreams,
                maxConnections,
                value,
                outboundWatermarkBytes,
                streamQueueBytes,
                controlQueueBytes,
                handshakeTimeout,
                idleTimeout,
                fileRegions,
                busyPoll);
    }

    /** The same options with other outbound limits. */
    public BulkOptions withOutbound(int watermarkBytes, int streamBytes, int controlBytes) {
        return new BulkOptions(
                maxStreams,
                maxConnections,
                maxFrameBytes,
                watermarkBytes,
                streamBytes,
                controlBytes,
                handshakeTimeout,
                idleTimeout,
                fileRegions,
                busyPoll);
    }

    public BulkOptions withTimeouts(Duration handshake, Duration idle) {
        return new BulkOptions(
                maxStreams,
                maxConnections,
                maxFrameBytes,
                outboundWatermarkBytes,
                streamQueueBytes,
                controlQueueBytes,
                handshake,
                idle,
                fileRegions,
                busyPoll);
    }

    public BulkOptions withFileRegions(boolean value) {
        return new BulkOptions(
                maxStreams,
                maxConnections,
                maxFrameBytes,
                outboundWatermarkBytes,
                streamQueueBytes,
                controlQueueBytes,
                handshakeTimeout,
                idleTimeout,
                value,
                busyPoll);
    }

    public BulkOptions withBusyPoll(Duration value) {
        return new BulkOptions(
                maxStreams,
                maxConnections,
                maxFrameBytes,
                outboundWatermarkBytes,
                streamQueueBytes,
                controlQueueBytes,
                handshakeTimeout,
                idleTimeout,
                fileRegions,
                value);
    }

    private static void require(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + ".." + max + ")");
        }
    }

    private static void require(String name, Duration value) {
        if (value.toMillis() < 1 || value.toHours() > 24) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 1 ms..24 h)");
        }
    }
}
