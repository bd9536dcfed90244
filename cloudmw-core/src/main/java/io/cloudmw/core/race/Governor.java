package io.cloudmw.core.race;

import io.cloudmw.core.model.StoreId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a client may spend on redundancy, over all its transfers: a token bucket of requests and one of bytes. Every
 * useful request and byte earns a share; every extra one spends. Safe for any thread; no clock, no I/O.
 *
 * <p>An extra request is <em>suppressed</em>, and counted, when either bucket is short, or when both the store it is meant
 * to make up for and the one it would go to are late with most of their answers: then the stores' own medians moved, what
 * looks slow is usual now, and hedging it would add load when it hurts most. This works from the first answers on, before any monitor has
 * learnt. The emptier the buckets, the more patient: {@link #patience()} stretches every delay, so that what is left goes
 * to the attempts that are latest.
 *
 * <p>[1] J. Dean, L. A. Barroso, The Tail at Scale, CACM 56(2), 2013. <b>Differs:</b> a budget instead of a fixed
 * quantile, because the quantile is only right while the distribution stands still.
 */
public final class Governor {
    /**
     * How much redundancy is allowed.
     *
     * @param share extra requests and bytes per useful one, 0 to 1
     * @param burstRequests extra requests beyond the share at any time; the bucket holds no more
     * @param burstBytes extra bytes beyond the share at any time; the bucket holds no more
     */
    public record Budget(double share, int burstRequests, long burstBytes) {
        public static final Budget DEFAULT = new Budget(0.05, 16, 64L << 20);

        public Budget {
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException("share: " + share + " (expected: 0..1)");
            }
            if (burstRequests < 0) {
                throw new IllegalArgumentException("burstRequests: " + burstRequests + " (expected: >= 0)");
            }
            if (burstBytes < 0) {
                throw new IllegalArgumentException("burstBytes: " + burstBytes + " (expected: >= 0)");
            }
        }
    }

    /** Stores whose lateness is remembered; the ones not heard of for longest are forgotten. */
    static final int MAX_STORES = 1024;

    /** A little more than 1: so less is due than the buckets earn, and they stay full for bad times. */
    private static final double LEAST_PATIENT = 1.25;

    private static final double MOST_PATIENT = 4;
    private static final double LATE_USUALLY = 0.05;
    private static final double LATE_WHEN_MOVED = 0.4;
    private static final double WEIGHT = 1.0 / 8;

    private final Budget budget;
    private final Map<StoreId, Double> lateness = new LinkedHashMap<>(16, 0.75f, true);
    private double requests;
    private double bytes;
    private long spentRequests;
    private long spentBytes;
    private long suppressed;

    /** Starts with full buckets. */
    public Governor(Budget budget) {
        this.budget = budget;
        this.requests = budget.burstRequests();
        this.bytes = budget.burstBytes();
    }

    /** A request was made that was needed. */
    public synchronized void usefulRequest() {
        requests = Math.min(budget.burstRequests(), requests + budget.share());
    }

    /** Bytes arrived that were needed. */
    public synchronized void usefulBytes(long count) {
        bytes = Math.min((double) budget.burstBytes(), bytes + count * budget.share());
    }

    /**
     * Asks for one extra request.
     *
     * @param late store whose slowness it makes up for
     * @param other store it would go to
     * @param atMostBytes what it may fetch twice; give back what it did not with {@link #refund}
     * @return false: suppressed
     */
    public synchronized boolean spend(StoreId late, StoreId other, long atMostBytes) {
        boolean moved = hasMoved(late) && hasMoved(other);
        if (moved || requests < 1 || bytes < atMostBytes) {
            suppressed++;
            return false;
        }
        requests--;
        bytes -= atMostBytes;
        spentRequests++;
        spentBytes += atMostBytes;
        return true;
    }

    /**
     * Asks as {@link #spend} does, for an extra that only saves time: the second half of the buckets is kept for what is
     * late. A refusal is not counted as suppressed.
     */
    public synchronized boolean spendSpare(StoreId late, StoreId other, long atMostBytes) {
        boolean plenty = requests - 1 >= budget.burstRequests() / 2.0
                && bytes - atMostBytes >= budget.burstBytes() / 2.0
                && !(hasMoved(late) && hasMoved(other));
        return plenty && spend(late, other, atMostBytes);
    }

    /** Bytes asked for with {@link #spend} that were not fetched twice after all. */
    public synchronized void refund(long count) {
        bytes = Math.min((double) budget.burstBytes(), bytes + count);
        spentBytes -= count;
    }

    /** By what factor to stretch delays before asking: 1.25 when the buckets are full, 4 when either is empty. */
    public synchronized double patience() {
        double full = Math.min(
                budget.burstRequests() == 0 ? 0 : requests / budget.burstRequests(),
                budget.burstBytes() == 0 ? 0 : bytes / budget.burstBytes());
        return LEAST_PATIENT + (MOST_PATIENT - LEAST_PATIENT) * (1 - full);
    }

    /** An attempt's first byte came, or is overdue: {@code late} when later than usual for 95 of 100 at this store. */
    public synchronized void answered(StoreId store, boolean late) {
        double before = lateness.getOrDefault(store, LATE_USUALLY);
        lateness.put(store, before + WEIGHT * ((late ? 1 : 0) - before));
        if (lateness.size() > MAX_STORES) {
            lateness.remove(lateness.keySet().iterator().next());
        }
    }

    /** Whether most answers of the store are late: its median moved. */
    public synchronized boolean hasMoved(StoreId store) {
        return lateness.getOrDefault(store, LATE_USUALLY) > LATE_WHEN_MOVED;
    }

    /** Extra requests allowed so far. */
    public synchronized long spentRequests() {
        return spentRequests;
    }

    /** Extra bytes allowed so far, less what was given back. */
    public synchronized long spentBytes() {
        return spentBytes;
    }

    /** Extra requests not allowed so far. */
    public synchronized long suppressed() {
        return suppressed;
    }

    /** Stores anything is kept about. */
    synchronized int remembered() {
        return lateness.size();
    }
}
