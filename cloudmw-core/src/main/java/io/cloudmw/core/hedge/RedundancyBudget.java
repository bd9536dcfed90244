package io.cloudmw.core.hedge;

import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.StoreId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The budget for redundancy of one client, over all its transfers: a token bucket of requests and one of bytes. Each
 * useful request and byte earns a share; each extra one is spent. Safe for any thread; no clock, no I/O.
 *
 * <ol>
 *   <li>An extra request is <em>suppressed</em>, and counted, when either bucket is short.
 *   <li>It is also suppressed when both stores are slow: the one it makes up for and the one it would read. Then their
 *       medians may have moved, and hedging would add load when it hurts most.
 *   <li>A store is slow after one late answer, or one at less than half of the usual rate, and while most of its
 *       answers before were. That shows before any monitor has learnt it.
 *   <li>A store is also slow when the fleet's monitors saw its median move. A client that has just started knows this
 *       from its first plan.
 *   <li>One answer in twenty is late anyway, so one extra in twenty waits without need for another answer of either
 *       store.
 *   <li>When nothing else is under way there may be no other answer. So an attempt that has waited far longer than the
 *       other store's answers take gets its extra all the same.
 *   <li>The emptier the buckets, the longer {@link #patience()} stretches every delay, so that the rest goes to the
 *       latest attempts.
 * </ol>
 *
 * <p>[1] J. Dean, L. A. Barroso, The Tail at Scale, CACM 56(2), 2013. <b>Differs:</b> a budget instead of a fixed
 * quantile, because a quantile is right only while the distribution stands still.
 */
public final class RedundancyBudget {
    /** Stores remembered; the least recently used one is dropped. */
    static final int MAX_STORES = 1024;

    /** A little more than 1: less is due than the buckets earn, so they stay full for bad times. */
    public static final double LEAST_PATIENT = 1.25;

    /** The factor by which a store's median must have moved, as monitors saw it, for the store to be slow. */
    public static final double MEDIAN_MOVED = 2;

    private static final double MOST_PATIENT = 4;
    private static final double WEIGHT = 1.0 / 4;
    /** A single late answer is enough, because two stores must be slow to suppress an extra. */
    private static final double LATE_WHEN_SLOW = WEIGHT;

    /** The weight by which each answer ages what monitors said, because a long transfer is told once. */
    private static final double WEIGHT_OF_MEASURED = 1.0 / 32;

    /**
     * An attempt that has waited this many times longer than another store's answers take is stalled. A smaller factor
     * would take many attempts for stalled in the first seconds after all stores became ten times slower.
     */
    static final double STALLED = 32;

    /** The recent answers of one store. */
    private static final class AnswerRecord {
        double lateness = LateThreshold.LATE_SHARE;
        double medianShift = 1;
        /** The recent time to the first byte; 0: not known. */
        double answerNanos;

        boolean isSlow() {
            return lateness >= LATE_WHEN_SLOW || medianShift >= MEDIAN_MOVED;
        }
    }

    /** The number of blocks from one that explores a slow store to the next. */
    public static final int EXPLORED_EVERY = 100;

    private final RedundancyLimits budget;
    private final Map<StoreId, AnswerRecord> stores = new LinkedHashMap<>(16, 0.75f, true);
    private double requests;
    private double bytes;
    private long spentRequests;
    private long spentBytes;
    private long suppressed;
    private int unexplored;

    /** Starts with full buckets. */
    public RedundancyBudget(RedundancyLimits budget) {
        this.budget = budget;
        this.requests = budget.burstRequests();
        this.bytes = budget.burstBytes();
    }

    /** Counts a request that was needed. */
    public synchronized void usefulRequest() {
        requests = Math.min(budget.burstRequests(), requests + budget.share());
    }

    /** Counts bytes that were needed. */
    public synchronized void usefulBytes(long count) {
        bytes = Math.min((double) budget.burstBytes(), bytes + count * budget.share());
    }

    /**
     * Asks for one extra request.
     *
     * @param late the store it makes up for
     * @param other the store it would read
     * @param atMostBytes bytes it may fetch twice; those it does not are given back by {@link #refund}
     * @return false: suppressed
     */
    public synchronized boolean spend(StoreId late, StoreId other, long atMostBytes) {
        return spend(late, other, atMostBytes, 0);
    }

    /**
     * Asks for one extra request beside an attempt that waits.
     *
     * @param waitedNanos how long the attempt has brought nothing
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

    /**
     * Returns whether the attempt has waited far longer than the other store's answers take; false without such an
     * answer.
     */
    private boolean isStalled(long waitedNanos, StoreId other) {
        AnswerRecord standing = stores.get(other);
        return standing != null && standing.answerNanos > 0 && waitedNanos > STALLED * standing.answerNanos;
    }

    /**
     * Asks as {@link #spend} does, for an extra that only saves time: half of each bucket is kept for late attempts. A
     * refusal is not counted as suppressed.
     */
    public synchronized boolean spendSpare(StoreId late, StoreId other, long atMostBytes) {
        boolean plenty = requests - 1 >= budget.burstRequests() / 2.0
                && bytes - atMostBytes >= budget.burstBytes() / 2.0
                && !(isSlow(late) && isSlow(other));
        return plenty && spend(late, other, atMostBytes);
    }

    /** The number of extra requests {@link #spendSpare} would allow now. */
    public synchronized int spareRequests() {
        return (int) Math.max(0, Math.floor(requests - budget.burstRequests() / 2.0));
    }

    /** Gives back bytes that were spent and not fetched twice. */
    public synchronized void refund(long count) {
        bytes = Math.min((double) budget.burstBytes(), bytes + count);
        spentBytes -= count;
    }

    /**
     * Charges extras that were not asked for, because messages crossed. The buckets may go below zero, so that these
     * extras are earned again before any other is allowed.
     */
    public synchronized void charge(int extraRequests, long extraBytes) {
        requests -= extraRequests;
        bytes -= extraBytes;
        spentRequests += extraRequests;
        spentBytes += extraBytes;
    }

    /**
     * Returns whether the next block should explore a slow store, if there is budget to spare: one in {@value
     * #EXPLORED_EVERY}.
     */
    public synchronized boolean explores() {
        unexplored = (unexplored + 1) % EXPLORED_EVERY;
        return unexplored == 0;
    }

    /** The factor by which delays are stretched: 1.25 when the buckets are full, 4 when either is empty. */
    public synchronized double patience() {
        double full = Math.min(
                budget.burstRequests() == 0 ? 0 : requests / budget.burstRequests(),
                budget.burstBytes() == 0 ? 0 : bytes / budget.burstBytes());
        return LEAST_PATIENT + (MOST_PATIENT - LEAST_PATIENT) * (1 - Math.max(0, full));
    }

    /**
     * Returns whether the budget allows the extras of a read, if nothing else asks meanwhile.
     *
     * @param usefulRequests it makes anyway
     * @param usefulBytes it fetches anyway
     */
    public synchronized boolean affords(
            double usefulRequests, double extraRequests, double usefulBytes, double extraBytes) {
        return extraRequests <= requests + budget.share() * usefulRequests
                && extraBytes <= bytes + budget.share() * usefulBytes;
    }

    /** Notes how an attempt went: {@code late} when it was slow, or late by {@link LateThreshold}. */
    public synchronized void judged(StoreId store, boolean late) {
        AnswerRecord standing = standing(store);
        standing.lateness += WEIGHT * ((late ? 1 : 0) - standing.lateness);
        standing.medianShift += WEIGHT_OF_MEASURED * (1 - standing.medianShift);
    }

    /** Notes that a store's first byte came after this time, or has not come for it. */
    public synchronized void answered(StoreId store, long afterNanos) {
        AnswerRecord standing = standing(store);
        standing.answerNanos += (standing.answerNanos == 0 ? 1 : WEIGHT) * (afterNanos - standing.answerNanos);
    }

    /**
     * Notes what monitors say of a store now.
     *
     * @param medianShift the factor by which its median time to the first byte has moved; 1: not at all, or not known
     */
    public synchronized void measured(StoreId store, double medianShift) {
        standing(store).medianShift = medianShift;
    }

    private AnswerRecord standing(StoreId store) {
        AnswerRecord standing = stores.computeIfAbsent(store, unused -> new AnswerRecord());
        if (stores.size() > MAX_STORES) {
            stores.remove(stores.keySet().iterator().next());
        }
        return standing;
    }

    /** Returns whether the store is slow: see rules 3 and 4. */
    public synchronized boolean isSlow(StoreId store) {
        AnswerRecord standing = stores.get(store);
        return standing != null && standing.isSlow();
    }

    /** Extra requests so far, allowed or charged. */
    public synchronized long spentRequests() {
        return spentRequests;
    }

    /** Extra bytes so far, allowed or charged, less those given back. */
    public synchronized long spentBytes() {
        return spentBytes;
    }

    /** Extra requests suppressed so far. */
    public synchronized long suppressed() {
        return suppressed;
    }

    /** The number of stores are remembered. */
    synchronized int remembered() {
        return stores.size();
    }
}
