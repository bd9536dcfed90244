package io.cloudmw.core.time;

import java.util.concurrent.TimeUnit;

/** The machine's clocks: the only place that reads them. */
enum SystemTime implements Ticker, WallClock, Sleeper {
    INSTANCE;

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long millis() {
        return System.currentTimeMillis();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
    }
}
