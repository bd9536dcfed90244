package io.cloudmw.core.monitor.sketch;

/**
 * Waiting times of which some were cut short: of an attempt that was cancelled after 80 ms without a byte it is known
 * only that it would have waited longer. Immutable; two merge by adding.
 *
 * <p>The algorithm: the product-limit estimator. The chance to wait longer than t is the product, over all times up to
 * t at which a wait ended, of the share of those still waiting that did not end there; a wait that was cut counts among
 * those waiting until its cut, and says nothing afterwards. [1] E. L. Kaplan, P. Meier: Nonparametric Estimation from
 * Incomplete Observations, JASA 53 (1958).
 *
 * <p>This is unbiased as long as the cut does not depend on what the wait would have become: a race cuts its losers when
 * another store has answered, which knows nothing of this one. {@code docs/adr/0006} says why nothing simpler will do.
 *
 * @param ended waits that ended by themselves, in microseconds
 * @param cut how long the others had waited when they were cut
 */
public record CensoredSketch(Sketch ended, Sketch cut) {
    public static final CensoredSketch EMPTY = new CensoredSketch(Sketch.EMPTY, Sketch.EMPTY);

    private static final double ROUNDING = 1e-9;

    /** How many unaged waits this is worth, cut ones included. */
    public double samples() {
        return ended.samples() + cut.samples();
    }

    /**
     * The time that {@code quantile} (0..1) of all waits do not exceed. When too many of the long ones were cut to tell,
     * the longest seen, cut or not: it takes at least that long. 0 when nothing was seen.
     */
    public long quantile(double quantile) {
        double waiting = (double) ended.totalWeight() + cut.totalWeight();
        double longer = 1;
        int cuts = 0;
        for (int i = 0; i < ended.entries(); i++) {
            while (cuts < cut.entries() && cut.value(cuts) < ended.value(i)) {
                waiting -= cut.weight(cuts++);
            }
            longer *= 1 - ended.weight(i) / waiting;
            waiting -= ended.weight(i);
            if (1 - longer >= quantile - ROUNDING) {
                return ended.value(i);
            }
        }
        return Math.max(longest(ended), longest(cut));
    }

    private static long longest(Sketch sketch) {
        return sketch.isEmpty() ? 0 : sketch.value(sketch.entries() - 1);
    }

    public CensoredSketch plus(CensoredSketch other) {
        return new CensoredSketch(ended.plus(other.ended), cut.plus(other.cut));
    }

    /** The same with its weight multiplied. */
    public CensoredSketch times(double factor) {
        return new CensoredSketch(ended.times(factor), cut.times(factor));
    }
}
