package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** The meters of stores. Safe for any thread. */
public final class StoreMetrics {
    /** Calls of a store, by {@link #OPERATION}. */
    public static final String REQUESTS = "cloudmw.store.requests";

    /** Calls and reads that failed, by {@link #OPERATION} and {@link #CODE}; cancelled ones have not failed. */
    public static final String ERRORS = "cloudmw.store.errors";

    /** Reads that were closed before their end, mostly by attempts that lost a race. */
    public static final String CANCELLED = "cloudmw.store.cancelled";

    /** Bytes read from a store, used or not. */
    public static final String READ = "cloudmw.store.read";

    /** Bytes of chunks that were newly written. */
    public static final String WRITTEN = "cloudmw.store.written";

    /** Time from the opening of a read to its first byte. */
    public static final String FIRST_BYTE = "cloudmw.store.first.byte";

    /** Tag of all of them: the id of the store. */
    public static final String STORE = "store";

    /** Tag: {@code read}, {@code put}, {@code length}, {@code delete}, {@code list}. */
    public static final String OPERATION = "operation";

    /** Tag: a code of {@code docs/errors.md}. */
    public static final String CODE = "code";

    private final MeterRegistry meters;
    private final String store;
    private final Counter cancelled;
    private final Counter read;
    private final Counter written;
    private final Timer firstByte;

    public StoreMetrics(MeterRegistry meters, String store) {
        this.meters = meters;
        this.store = store;
        this.cancelled = Counter.builder(CANCELLED)
                .description("Reads closed before their end")
                .tag(STORE, store)
                .register(meters);
        this.read = Counter.builder(READ)
                .baseUnit("bytes")
                .description("Bytes read, used or not")
                .tag(STORE, store)
                .register(meters);
        this.written = Counter.builder(WRITTEN)
                .baseUnit("bytes")
                .description("Bytes of chunks that were not there before")
                .tag(STORE, store)
                .register(meters);
        this.firstByte = TimerBuckets.timer(FIRST_BYTE)
                .description("From the opening of a read to its first byte")
                .tag(STORE, store)
                .register(meters);
    }

    public void request(String operation) {
        meters.counter(REQUESTS, STORE, store, OPERATION, operation).increment();
    }

    public void error(String operation, String code) {
        meters.counter(ERRORS, STORE, store, OPERATION, operation, CODE, code).increment();
    }

    public void cancelled() {
        cancelled.increment();
    }

    public void read(int bytes) {
        read.increment(bytes);
    }

    public void written(long bytes) {
        written.increment((double) bytes);
    }

    public void firstByte(long nanos) {
        firstByte.record(nanos, TimeUnit.NANOSECONDS);
    }
}
