package io.cloudmw.lab.torture.fault;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * The draw of the next fault, in which each kind gets its share. The seed alone determines the details of the n-th
 * fault of a kind. Its time and the available targets depend on the course of the run. Confined to one thread.
 */
public final class FaultMix {
    /** How far a kind may be ahead of the kind that is furthest behind, in shares. */
    static final double AHEAD = 2;

    private final Map<FaultKind, Source> sources = new EnumMap<>(FaultKind.class);

    /** A kind of fault with its random numbers and its count so far. */
    private static final class Source {
        private final FaultKind kind;
        private final SplittableRandom seeds;
        private SplittableRandom next;
        private double jitter;
        private long count;

        Source(FaultKind kind, long seed) {
            this.kind = kind;
            this.seeds = new SplittableRandom(seed);
            this.next = turn();
        }

        private SplittableRandom turn() {
            SplittableRandom random = seeds.split();
            jitter = random.nextDouble();
            return random;
        }

        double shares() {
            return (double) count / kind.share();
        }

        double order() {
            return (count + jitter) / kind.share();
        }

        SplittableRandom take() {
            SplittableRandom taken = next;
            count++;
            next = turn();
            return taken;
        }
    }

    /**
     * A kind of fault that was drawn.
     *
     * @param random the source of the fault's details
     */
    public record Drawn(FaultKind kind, SplittableRandom random) {}

    /**
     * Creates a mix.
     *
     * @param kinds the kinds to draw from
     */
    public FaultMix(long seed, List<FaultKind> kinds) {
        SplittableRandom seeds = new SplittableRandom(seed);
        for (FaultKind kind : FaultKind.values()) {
            long own = seeds.nextLong();
            if (kinds.contains(kind)) {
                sources.put(kind, new Source(kind, own));
            }
        }
    }

    /**
     * Draws the next fault from the kinds that are possible now; empty when all of those are too far ahead of their
     * share.
     *
     * @param possible whether a kind can be injected now
     */
    public Optional<Drawn> next(Predicate<FaultKind> possible) {
        double least =
                sources.values().stream().mapToDouble(Source::shares).min().orElse(0);
        return sources.values().stream()
                .filter(source -> source.shares() < least + AHEAD && possible.test(source.kind))
                .min(Comparator.comparingDouble(Source::order))
                .map(source -> new Drawn(source.kind, source.take()));
    }
}
