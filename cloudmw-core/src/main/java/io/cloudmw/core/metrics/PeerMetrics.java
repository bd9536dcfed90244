package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What is counted of clients that serve what they hold, at a client that does and at a coordinator that introduces them. */
public final class PeerMetrics {
    /** Bytes given to neighbours. */
    public static final String SENT = "cloudmw.peer.sent";

    /** Requests of neighbours that got nothing. */
    public static final String REFUSED = "cloudmw.peer.refused";

    /** Connections of neighbours that were not used, and closed for others. */
    public static final String DISPLACED = "cloudmw.peer.displaced";

    /** Bytes of whole chunks that are held. */
    public static final String HELD = "cloudmw.peer.held";

    /** Chunks that were read faster than the disk could take them, and so not kept. */
    public static final String SKIPPED = "cloudmw.peer.skipped";

    /** Clients that serve, as far as a coordinator knows. */
    public static final String SERVING = "cloudmw.coordinator.peers.serving";

    /** Chunks that readers have looked for. */
    public static final String WANTED = "cloudmw.coordinator.peers.wanted";

    /** Those for which somebody was named. */
    public static final String FOUND = "cloudmw.coordinator.peers.found";

    private PeerMetrics() {}

    /** What a client that serves has to tell. */
    public record Client<T>(
            ToDoubleFunction<T> sentBytes,
            ToDoubleFunction<T> refused,
            ToDoubleFunction<T> displaced,
            ToDoubleFunction<T> heldBytes,
            ToDoubleFunction<T> skipped) {}

    /** What a coordinator has to tell. */
    public record Coordinator<T>(ToDoubleFunction<T> serving, ToDoubleFunction<T> wanted, ToDoubleFunction<T> found) {}

    /** Tells from now on, as long as {@code peer} lives, which this does not prolong. */
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

    /** The same of a coordinator. */
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
