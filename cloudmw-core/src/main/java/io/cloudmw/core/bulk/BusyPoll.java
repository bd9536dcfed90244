package io.cloudmw.core.bulk;

import io.cloudmw.core.time.PollingPolicy;
import io.cloudmw.core.time.Ticker;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * How an event loop waits for what comes next: asleep, or, while small requests follow one another at a fast {@link PollingPolicy}, by looking for it again
 * and again for a time after each. It gives its processor to whoever else can use it between two looks.
 */
final class BusyPoll implements SelectStrategy {
    private final Ticker ticker;
    private final PollingPolicy pace;
    private volatile long untilNanos;
    private volatile boolean polling;
    /** Since something was expected last. */
    private volatile boolean came;

    BusyPoll(PollingPolicy pace, Ticker ticker) {
        this.ticker = ticker;
        this.pace = pace;
    }

    /** A request comes or goes: what follows it is expected within moments. Any thread. */
    void expect() {
        if (pace.next()) {
            untilNanos = ticker.nanos() + pace.awakeNanos();
            came = false;
            polling = true;
        }
    }

    /** How long it was awake for nothing else so far. */
    long spentNanos() {
        return pace.spentNanos();
    }

    @Override
    public int calculateStrategy(IntSupplier look, boolean hasTasks) throws Exception {
        if (!polling) {
            return hasTasks ? look.get() : SELECT;
        }
        int ready = look.get();
        if (ready > 0 || hasTasks) {
            came |= ready > 0;
            return ready;
        }
        if (untilNanos - ticker.nanos() > 0) {
            pace.giveWay();
            return ready;
        }
        polling = false;
        if (!came) {
            pace.inVain();
        }
        return SELECT;
    }
}
