package io.cloudmw.lab.torture.fault;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * The draw of the next fault: each kind has its share, so that no kind crowds out another. What is drawn for the
 * n-th fault of a kind is decided by the seed alone; when it comes, and whom it can hit then, by how the run goes. Confined to one thread.
 */
public final class FaultMix {
    /** No kind is further ahead of the one that is furthest behind, in shares. */
    static final double AHEAD = 2;

    private final Map<FaultKind, Source> sources = new EnumMap<>(FaultKind.class);

    /** The origin of a block. */
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
     * A fault that is due later.
     *
     * @param random to draw from what else there is to say of it
     */
    public record Drawn(FaultKind kind, SplittableRandom random) {}

    /** @param kinds that are drawn */
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
     * The next, of those that can be now; empty when all of these have had more than their share.
     *
     * @param possible now
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
