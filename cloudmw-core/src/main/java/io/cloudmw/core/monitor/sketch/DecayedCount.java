package io.cloudmw.core.monitor.sketch;

/** A count that halves after each half-life. Not thread-safe. */
public final class DecayedCount {
    private final long halfLifeNanos;
    private double count;
    private long atNanos;

    public DecayedCount(long halfLifeNanos, long nowNanos) {
        this.halfLifeNanos = halfLifeNanos;
        this.atNanos = nowNanos;
    }

    public void add(double amount, long nowNanos) {
        count = at(nowNanos) + amount;
        atNanos = nowNanos;
    }

    public double at(long nowNanos) {
        return count * Math.pow(2, -Math.max(0, (double) (nowNanos - atNanos) / halfLifeNanos));
    }

    /** The rate per second behind {@code decayed}, if it was counted at a steady rate for long. */
    public static double perSecond(double decayed, long halfLifeNanos) {
        return decayed * Math.log(2) * 1e9 / halfLifeNanos;
    }
}
