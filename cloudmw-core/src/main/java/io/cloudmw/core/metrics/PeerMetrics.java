package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of clients that serve chunks to others: at such a client, and at the coordinator that names it to
 * readers.
 */
public final class PeerMetrics {
    /** Bytes sent to other clients. */
    public static final String SENT = "cloudmw.peer.sent";

    /** Requests of other clients that were refused. */
    public static final String REFUSED = "cloudmw.peer.refused";

    /** Idle connections of other clients that were closed for new ones. */
    public static final String DISPLACED = "cloudmw.peer.displaced";

    /** Bytes of whole chunks held. */
    public static final String HELD = "cloudmw.peer.held";

    /** Chunks that were not kept because they were read faster than the disk could take them. */
    public static final String SKIPPED = "cloudmw.peer.skipped";

    /** Clients that serve chunks, as far as a coordinator knows. */
    public static final String SERVING = "cloudmw.coordinator.peers.serving";

    /** Chunks that readers have searched. */
    public static final String WANTED = "cloudmw.coordinator.peers.wanted";

    /** Searched chunks for which the coordinator named a client. */
    public static final String FOUND = "cloudmw.coordinator.peers.found";

    private PeerMetrics() {}

    /** The figures of a client that serves chunks. */
    public record Client<T>(
            ToDoubleFunction<T> sentBytes,
            ToDoubleFunction<T> refused,
            ToDoubleFunction<T> displaced,
            ToDoubleFunction<T> heldBytes,
            ToDoubleFunction<T> skipped) {}

    /** The figures of a coordinator. */
    public record Coordinator<T>(ToDoubleFunction<T> serving, ToDoubleFunction<T> wanted, ToDoubleFunction<T> found) {}

    /** Reports the figures of {@code peer} as long as it lives; the meters do not keep it alive. */
    public static <T> void watch(MeterRegistry meters, T peer, Client<T> figures) {
        count(meters, SENT, "Given to neighbours", "bytes", peer, figures.sentBytes());
        count(meters, REFUSED, "Requests that got nothing", null, peer, figures.refused());
        count(meters, DISPLACED, "Unused connections closed for others", null, peer, figures.displaced());
        Gauge.builder(HELD, peer, figures.heldBytes())
                .description("Whole chunks that are held")
                .baseUnit("bytes")
                .register(meters);
        count(meters, SKIPPED, "Chunks not kept because the disk was behind", null, peer, figures.skipped());
    }

    /** Reports the figures of a coordinator in the same way. */
    public static <T> void watch(MeterRegistry meters, T peers, Coordinator<T> figures) {
        Gauge.builder(SERVING, peers, figures.serving())
                .description("Clients that serve what they hold")
                .register(meters);
        count(meters, WANTED, "Chunks that readers looked for", null, peers, figures.wanted());
        count(meters, FOUND, "Chunks for which a peer was named", null, peers, figures.found());
    }

    private static <T> void count(
            MeterRegistry meters,
            String name,
            String description,
            @Nullable String unit,
            T of,
            ToDoubleFunction<T> figure) {
        FunctionCounter.builder(name, of, figure)
                .description(description)
                .baseUnit(unit)
                .register(meters);
    }
}
