package io.cloudmw.core.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * Whether things follow one another so fast that who waits for the next better stays awake: to fall asleep and be woken
 * takes a thread longer. Where they come seldom, or each takes its time on a network, staying awake would gain nothing. Nor
 * where processors are crowded: who gives his away has it back when others have had their turns, milliseconds later, but who is woken comes first.
 * Safe for any thread.
 */
public final class PollingPolicy {
    /** Of the last few that came fast or not, those that came fast less the others: no less than 0 and no more than this. */
    private static final int MOST = 16;

    /** So many that came fast does one outweigh for which somebody stayed awake in vain. */
    private static final int VAIN = 4;

    /** Who gives his processor away for longer had it taken for a turn of the kernel's scheduler: those last some milliseconds. */
    private static final long TURN_NANOS = Duration.ofMillis(1).toNanos();

    /** Among thousands of reads one may wait for a turn: what is asked every 0.1 ms then has its p99 without. */
    private static final long CROWDED_NANOS = Duration.ofSeconds(1).toNanos();

    private final Ticker ticker;
    private final Runnable giveAway;
    private final long awakeNanos;
    private final LongAdder awake = new LongAdder();

    @GuardedBy("this")
    private long lastNanos;

    @GuardedBy("this")
    private int fast;

    @GuardedBy("this")
    private boolean crowded;

    @GuardedBy("this")
    private long crowdedSinceNanos;

    /**
     * Of nothing yet.
     *
     * @param awake how long somebody stays awake at most; zero: it is never fast enough
     * @param giveAway lets others use the processor of who calls it, if they can
     */
    public PollingPolicy(Duration awake, Ticker ticker, Runnable giveAway) {
        this.ticker = ticker;
        this.giveAway = giveAway;
        this.awakeNanos = awake.toNanos();
        this.lastNanos = ticker.nanos();
    }

    /** The same on this machine: with one processor it is never fast enough, since whoever is to answer needs that. */
    @SuppressWarnings(
            "ThreadPriorityCheck") // nothing depends on it: others only do not wait for a turn of the scheduler
    public static PollingPolicy ofMachine(Duration awake, Ticker ticker) {
        return new PollingPolicy(
                Runtime.getRuntime().availableProcessors() > 1 ? awake : Duration.ZERO, ticker, Thread::yield);
    }

    /** What one stays awake at most. */
    public long awakeNanos() {
        return awakeNanos;
    }

    /**
     * Another one begins now.
     *
     * @return whether to stay awake for it: most of the last ones came within what one stays awake, and processors are not crowded. One that
     *     takes long now and then changes nothing
     */
    public synchronized boolean next() {
        long now = ticker.nanos();
        boolean inTime = now - lastNanos < awakeNanos;
        lastNanos = now;
        fast = inTime ? Math.min(fast + 1, MOST) : Math.max(fast - 1, 0);
        crowded &= now - crowdedSinceNanos < CROWDED_NANOS;
        return fast >= MOST / 2 && !crowded;
    }

    /** Who stays awake calls this again and again: it gives the processor to whoever else can use it, for as long as they do. */
    public void giveWay() {
        long begun = ticker.nanos();
        giveAway.run();
        long now = ticker.nanos();
        awake.add(now - begun);
        if (now - begun >= TURN_NANOS) {
            crowded(now);
        }
    }

    private synchronized void crowded(long now) {
        crowded = true;
        crowdedSinceNanos = now;
    }

    /** How long somebody was awake for nothing else so far; others may have had the processor meanwhile. */
    public long spentNanos() {
        return awake.sum();
    }

    /** Somebody stayed awake for as long as one does, and nothing came. */
    public synchronized void inVain() {
        fast = Math.max(fast - VAIN, 0);
    }
}
