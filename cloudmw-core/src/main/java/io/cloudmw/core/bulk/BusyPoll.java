package io.cloudmw.core.bulk;

import io.cloudmw.core.time.PollingPolicy;
import io.cloudmw.core.time.Ticker;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * The wait strategy of an event loop: it sleeps, or busy-polls for a time after each small request while such requests
 * follow one another at the rate of a {@link PollingPolicy}. Between two polls it yields its processor.
 */
final class BusyPoll implements SelectStrategy {
    private final Ticker ticker;
    private final PollingPolicy polling;
    private volatile long untilNanos;
    private volatile boolean pollingNow;
    /** Set when a request arrived since the last expected request. */
    private volatile boolean came;

    BusyPoll(PollingPolicy polling, Ticker ticker) {
        this.ticker = ticker;
        this.polling = polling;
    }

    /** Announces a request: the next one is expected within moments. Any thread. */
    void expect() {
        if (polling.next()) {
            untilNanos = ticker.nanos() + polling.awakeNanos();
            came = false;
            pollingNow = true;
        }
    }

    /** The time spent busy-polling so far. */
    long spentNanos() {
        return polling.spentNanos();
    }

    @Override
    public int calculateStrategy(IntSupplier look, boolean hasTasks) throws Exception {
        if (!pollingNow) {
            return hasTasks ? look.get() : SELECT;
        }
        int ready = look.get();
        if (ready > 0 || hasTasks) {
            came |= ready > 0;
            return ready;
        }
        if (untilNanos - ticker.nanos() > 0) {
            polling.yieldProcessor();
            return ready;
        }
        pollingNow = false;
        if (!came) {
            polling.pollEndedInVain();
        }
        return SELECT;
    }
}
