package io.cloudmw.core.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;

/**
 * Whether things follow one another so fast that who waits for the next better stays awake: to fall asleep and be woken
 * takes a thread longer. Where they come seldom, or each takes its time on a network, staying awake would gain nothing.
 * Safe for any thread.
 */
public final class Pace {
    /** Of the last few that came fast or not, those that came fast less the others: no less than 0 and no more than this. */
    private static final int MOST = 16;

    /** So many that came fast does one outweigh for which somebody stayed awake in vain. */
    private static final int VAIN = 4;

    private final Ticker ticker;
    private final long awakeNanos;

    @GuardedBy("this")
    private long lastNanos;

    @GuardedBy("this")
    private int fast;

    /** @param awake how long somebody stays awake at most; zero: it is never fast enough */
    public Pace(Duration awake, Ticker ticker) {
        this.ticker = ticker;
        this.awakeNanos = awake.toNanos();
        this.lastNanos = ticker.nanos();
    }

    /** The same on this machine: with one processor it is never fast enough, since whoever is to answer needs that. */
    public static Pace ofMachine(Duration awake, Ticker ticker) {
        return new Pace(Runtime.getRuntime().availableProcessors() > 1 ? awake : Duration.ZERO, ticker);
    }

    /** What one stays awake at most. */
    public long awakeNanos() {
        return awakeNanos;
    }

    /**
     * Another one begins now.
     *
     * @return whether to stay awake for it: most of the last ones came within what one stays awake. One that takes long now and then
     *     changes nothing
     */
    public synchronized boolean next() {
        long now = ticker.nanos();
        boolean inTime = now - lastNanos < awakeNanos;
        lastNanos = now;
        fast = inTime ? Math.min(fast + 1, MOST) : Math.max(fast - 1, 0);
        return fast >= MOST / 2;
    }

    /** Somebody stayed awake for as long as one does, and nothing came. */
    public synchronized void inVain() {
        fast = Math.max(fast - VAIN, 0);
    }
}
