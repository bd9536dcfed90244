package io.cloudmw.core.hedge;

import io.cloudmw.core.model.StoreId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a client may spend on redundancy, over all its transfers: a token bucket of requests and one of bytes. Every
 * useful request and byte earns a share; every extra one spends. Safe for any thread; no clock, no I/O.
 *
 * <p>An extra request is <em>suppressed</em>, and counted, when either bucket is short, or when both the store it is meant
 * to make up for and the one it would go to are slow: then it may be that their medians moved, that what looks slow is
 * usual now, and that hedging it would add load when it hurts most. A store is slow when its latest answer was late, or
 * came at less than half of the usual rate, and while most of those before it did, which shows at once, before any monitor
 * has learnt; or when the fleet's monitors saw its median move, which a client that has just started knows from its first
 * plan. One answer in twenty is late anyway: so one extra in twenty waits, without need, for another answer of either
 * store, and is asked for again. When nothing else is under way there may be no other answer: so what has waited for far longer than the other
 * store's answers take by now may have its extra all the same. The emptier the buckets, the more patient: {@link #patience()} stretches every delay, so
 * that what is left goes to the attempts that are latest.
 *
 * <p>[1] J. Dean, L. A. Barroso, The Tail at Scale, CACM 56(2), 2013. <b>Differs:</b> a budget instead of a fixed
 * quantile, because the quantile is only right while the distribution stands still.
 */
public final class RedundancyBudget {
    /**
     * How much redundancy is allowed.
     *
     * @param share extra requests and bytes per useful one, 0 to 1
     * @param burstRequests extra requests beyond the share at any time; the bucket holds no more
     * @param burstBytes extra bytes beyond the share at any time; the bucket holds no more
     */
    public record Limits(double share, int burstRequests, long burstBytes) {
        public static final Limits DEFAULT = new Limits(0.05, 16, 64L << 20);

        /** The default bursts with another share; 0: no redundancy at all. */
        public static Limits ofShare(double share) {
            return share == 0 ? new Limits(0, 0, 0) : new Limits(share, DEFAULT.burstRequests(), DEFAULT.burstBytes());
        }

        public Limits {
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
    public static final double LEAST_PATIENT = 1.25;

    /** By so much a store's median must have moved, as monitors saw it, for the store to be slow. */
    public static final double MEDIAN_MOVED = 2;

    private static final double MOST_PATIENT = 4;
    private static final double LATE_USUALLY = 0.05;
    private static final double WEIGHT = 1.0 / 4;
    /** One late answer is enough: two stores must be slow, and of two one is usually as quick as ever. */
    private static final double LATE_WHEN_SLOW = WEIGHT;

    /** What monitors said ages with every answer: a transfer that takes hours is told once. */
    private static final double WEIGHT_OF_MEASURED = 1.0 / 32;

    /**
     * By so much what waits is behind the answers of another store to be stalled, however slow that is. Less, and in the first seconds in
     * which all stores are ten times as slow much would pass for stalled.
     */
    static final double STALLED = 32;

    /** What is known of one store. */
    private static final class Standing {
        double lateness = LATE_USUALLY;
        double medianShift = 1;
        /** Of late, to the first byte; 0: not known. */
        double answerNanos;

        boolean isSlow() {
            return lateness >= LATE_WHEN_SLOW || medianShift >= MEDIAN_MOVED;
        }
    }

    /** One block of so many is tried at a store that seems slow. */
    public static final int EXPLORED_EVERY = 100;

    private final Limits budget;
    private final Map<StoreId, Standing> stores = new LinkedHashMap<>(16, 0.75f, true);
    private double requests;
    private double bytes;
    private long spentRequests;
    private long spentBytes;
    private long suppressed;
    private int unexplored;

    /** Starts with full buckets. */
    public RedundancyBudget(Limits budget) {
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
        return spend(late, other, atMostBytes, 0);
    }

    /**
     * Asks for one extra request, for what waits.
     *
     * @param waitedNanos how long nothing has come of it
     */
    public synchronized boolean spend(StoreId late, StoreId other, long atMostBytes, long waitedNanos) {
        boolean bothSlow = isSlow(late) && isSlow(other) && !isStalled(waitedNanos, other);
        if (bothSlow || requests < 1 || bytes < atMostBytes) {
            suppressed++;
            return false;
        }
        requests--;
        bytes -= atMostBytes;
        spentRequests++;
        spentBytes += atMostBytes;
        return true;
    }

    /** Where everything stands still all have waited for long, at the other store too: that is no answer it would be behind of. */
    private boolean isStalled(long waitedNanos, StoreId other) {
        Standing standing = stores.get(other);
        return standing != null && standing.answerNanos > 0 && waitedNanos > STALLED * standing.answerNanos;
    }

    /**
     * Asks as {@link #spend} does, for an extra that only saves time: the second half of the buckets is kept for what is
     * late. A refusal is not counted as suppressed.
     */
    public synchronized boolean spendSpare(StoreId late, StoreId other, long atMostBytes) {
        boolean plenty = requests - 1 >= budget.burstRequests() / 2.0
                && bytes - atMostBytes >= budget.burstBytes() / 2.0
                && !(isSlow(late) && isSlow(other));
        return plenty && spend(late, other, atMostBytes);
    }

    /** Extra requests that {@link #spendSpare} would allow now, one after the other, were nothing else asked for. */
    public synchronized int spareRequests() {
        return (int) Math.max(0, Math.floor(requests - budget.burstRequests() / 2.0));
    }

    /** Bytes asked for with {@link #spend} that were not fetched twice after all. */
    public synchronized void refund(long count) {
        bytes = Math.min((double) budget.burstBytes(), bytes + count);
        spentBytes -= count;
    }

    /**
     * Something was asked for twice without having been allowed, because messages crossed: the buckets have less for it, at
     * worst less than nothing, so that it is earned again before anything is allowed.
     */
    public synchronized void charge(int extraRequests, long extraBytes) {
        requests -= extraRequests;
        bytes -= extraBytes;
        spentRequests += extraRequests;
        spentBytes += extraBytes;
    }

    /** Whether the block about to be read is one of those that are tried at a slow store too, if the budget has plenty. */
    public synchronized boolean explores() {
        unexplored = (unexplored + 1) % EXPLORED_EVERY;
        return unexplored == 0;
    }

    /** By what factor to stretch delays before asking: 1.25 when the buckets are full, 4 when either is empty. */
    public synchronized double patience() {
        double full = Math.min(
                budget.burstRequests() == 0 ? 0 : requests / budget.burstRequests(),
                budget.burstBytes() == 0 ? 0 : bytes / budget.burstBytes());
        return LEAST_PATIENT + (MOST_PATIENT - LEAST_PATIENT) * (1 - Math.max(0, full));
    }

    /**
     * Whether a read could have its extras, were nothing else asked for meanwhile.
     *
     * @param usefulRequests it makes anyway
     * @param usefulBytes it fetches anyway
     */
    public synchronized boolean affords(
            double usefulRequests, double extraRequests, double usefulBytes, double extraBytes) {
        return extraRequests <= requests + budget.share() * usefulRequests
                && extraBytes <= bytes + budget.share() * usefulBytes;
    }

    /** How an attempt went: {@code late} when it once was later than 95 of 100 usually are at this store, or slow. */
    public synchronized void judged(StoreId store, boolean late) {
        Standing standing = standing(store);
        standing.lateness += WEIGHT * ((late ? 1 : 0) - standing.lateness);
        standing.medianShift += WEIGHT_OF_MEASURED * (1 - standing.medianShift);
    }

    /** A store's first byte came after this time, or has not yet come. */
    public synchronized void answered(StoreId store, long afterNanos) {
        Standing standing = standing(store);
        standing.answerNanos += (standing.answerNanos == 0 ? 1 : WEIGHT) * (afterNanos - standing.answerNanos);
    }

    /**
     * What monitors say of a store, as of now.
     *
     * @param medianShift by how much its median time to the first byte has moved of late; 1: not at all, or not known
     */
    public synchronized void measured(StoreId store, double medianShift) {
        standing(store).medianShift = medianShift;
    }

    private Standing standing(StoreId store) {
        Standing standing = stores.computeIfAbsent(store, unused -> new Standing());
        if (stores.size() > MAX_STORES) {
            stores.remove(stores.keySet().iterator().next());
        }
        return standing;
    }

    /** Whether its latest answer was late, or most of those before, or monitors saw its median move. */
    public synchronized boolean isSlow(StoreId store) {
        Standing standing = stores.get(store);
        return standing != null && standing.isSlow();
    }

    /** Extra requests so far, allowed or charged. */
    public synchronized long spentRequests() {
        return spentRequests;
    }

    /** Extra bytes so far, allowed or charged, less what was given back. */
    public synchronized long spentBytes() {
        return spentBytes;
    }

    /** Extra requests not allowed so far. */
    public synchronized long suppressed() {
        return suppressed;
    }

    /** Stores anything is kept about. */
    synchronized int remembered() {
        return stores.size();
    }
}
