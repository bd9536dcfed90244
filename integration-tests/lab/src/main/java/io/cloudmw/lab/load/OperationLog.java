package io.cloudmw.lab.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The operations of all clients by the phase in which they began. Safe for any thread. */
final class OperationLog {
    private final Ticker ticker;
    private final long start;
    private final Consumer<LoadOperation> failed;

    @GuardedBy("this")
    private final List<LoadOperation> operations = new ArrayList<>();

    @GuardedBy("this")
    private final Map<String, Long> phaseNanos = new LinkedHashMap<>();

    @GuardedBy("this")
    private String phase = "";

    @GuardedBy("this")
    private long phaseStart;

    /**
     * Creates a log that is in a phase.
     *
     * @param failed told of each failed operation
     */
    OperationLog(Ticker ticker, String phase, Consumer<LoadOperation> failed) {
        this.ticker = ticker;
        this.failed = failed;
        start = ticker.nanos();
        begin(phase);
    }

    /** Begins a phase, or goes on with an earlier one. */
    synchronized void begin(String next) {
        end();
        phase = next;
        phaseNanos.putIfAbsent(next, 0L);
    }

    /** Ends the current phase. */
    synchronized void end() {
        long now = now();
        phaseNanos.computeIfPresent(phase, (name, nanos) -> nanos + now - phaseStart);
        phaseStart = now;
    }

    synchronized String phase() {
        return phase;
    }

    /** Returns the time since the start of the load, in nanoseconds. */
    long now() {
        return ticker.nanos() - start;
    }

    void add(LoadOperation operation) {
        synchronized (this) {
            operations.add(operation);
        }
        if (operation.failure().isPresent()) {
            failed.accept(operation);
        }
    }

    /** Returns the operations so far, in the order of their ends. */
    synchronized List<LoadOperation> operations() {
        return List.copyOf(operations);
    }

    /** Returns the length of each phase, in the order in which they first began. */
    synchronized Map<String, Long> phaseNanos() {
        return new LinkedHashMap<>(phaseNanos);
    }
}
