package io.cloudmw.core.monitor.sketch;

/**
 * A distribution of waiting times, some of which were cut short. An attempt that was cancelled after 80 ms without a
 * byte shows only that it would have waited longer. Immutable; two merge by adding.
 *
 * <p>The algorithm: the product-limit estimator. The chance to wait longer than t is a product over all times up to t
 * at which a wait ended. Each factor is the share of the waits still running that did not end there. A wait that was
 * cut counts as running until its cut, and not afterwards. [1] E. L. Kaplan, P. Meier: Nonparametric Estimation from
 * Incomplete Observations, JASA 53 (1958).
 *
 * <p>The estimate is unbiased as long as the cut does not depend on the rest of the wait. A race cuts its losers when
 * another store has answered, which knows nothing of this one. {@code docs/adr/0006} says why nothing simpler will do.
 *
 * @param ended waits that ended by themselves, in microseconds
 * @param cut how long the others had waited when they were cut
 */
public record CensoredSketch(Sketch ended, Sketch cut) {
    public static final CensoredSketch EMPTY = new CensoredSketch(Sketch.EMPTY, Sketch.EMPTY);

    private static final double ROUNDING = 1e-9;

    /** The weight in unaged waits, cut ones included. */
    public double samples() {
        return ended.samples() + cut.samples();
    }

    /**
     * The time that a share {@code quantile} (0..1) of all waits does not exceed. When too many long waits were cut to
     * tell, the longest one seen, cut or not: a lower bound. 0 when it is empty.
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
