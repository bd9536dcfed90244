package io.cloudmw.core.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * The policy that decides whether a thread busy-polls for the next request instead of sleeping. A thread takes long to
 * fall asleep and be woken, so busy-polling pays when requests follow one another fast. It does not pay when they are
 * rare or slow. Nor does it pay when processors are crowded: a thread that yielded has to wait milliseconds for
 * others, while a woken one runs first. Safe for any thread.
 */
public final class PollingPolicy {
    /** The largest score: fast requests less slow ones among the last few, never below 0. */
    private static final int MAX_SCORE = 16;

    /** The number of fast requests that one poll in vain outweighs. */
    private static final int VAIN_POLL_WEIGHT = 4;

    /** A yield that takes longer means that the kernel gave other threads a turn of some milliseconds. */
    private static final long SCHEDULER_TURN_NANOS = Duration.ofMillis(1).toNanos();

    /**
     * The time for which processors then count as crowded: among thousands of reads one may wait for a turn, so that
     * requests every 0.1 ms keep their p99.
     */
    private static final long CROWDED_NANOS = Duration.ofSeconds(1).toNanos();

    private final Ticker ticker;
    private final Runnable yieldAction;
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
     * Makes a policy without any request yet.
     *
     * @param awake the longest busy poll; zero: never
     * @param yieldAction yields the caller's processor to other threads
     */
    public PollingPolicy(Duration awake, Ticker ticker, Runnable yieldAction) {
        this.ticker = ticker;
        this.yieldAction = yieldAction;
        this.awakeNanos = awake.toNanos();
        this.lastNanos = ticker.nanos();
    }

    /** The policy on this machine. With one processor it never polls, because the answering process needs that. */
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it: it only saves others a wait for the scheduler
    public static PollingPolicy ofMachine(Duration awake, Ticker ticker) {
        return new PollingPolicy(
                Runtime.getRuntime().availableProcessors() > 1 ? awake : Duration.ZERO, ticker, Thread::yield);
    }

    /** The longest busy poll. */
    public long awakeNanos() {
        return awakeNanos;
    }

    /**
     * Notes that another request begins now.
     *
     * @return whether to busy-poll for it: most of the last ones came within a poll's time, and processors are not
     *     crowded. A single slow one changes nothing
     */
    public synchronized boolean next() {
        long now = ticker.nanos();
        boolean inTime = now - lastNanos < awakeNanos;
        lastNanos = now;
        fast = inTime ? Math.min(fast + 1, MAX_SCORE) : Math.max(fast - 1, 0);
        crowded &= now - crowdedSinceNanos < CROWDED_NANOS;
        return fast >= MAX_SCORE / 2 && !crowded;
    }

    /** Yields the processor to other threads; a polling thread calls it between two polls. */
    public void yieldProcessor() {
        long begun = ticker.nanos();
        yieldAction.run();
        long now = ticker.nanos();
        awake.add(now - begun);
        if (now - begun >= SCHEDULER_TURN_NANOS) {
            crowded(now);
        }
    }

    private synchronized void crowded(long now) {
        crowded = true;
        crowdedSinceNanos = now;
    }

    /** The time spent polling so far; others may have had the processor meanwhile. */
    public long spentNanos() {
        return awake.sum();
    }

    /** Notes that a poll ended without a request. */
    public synchronized void pollEndedInVain() {
        fast = Math.max(fast - VAIN_POLL_WEIGHT, 0);
    }
}
