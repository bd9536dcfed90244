package io.cloudmw.lab.torture;

import io.cloudmw.core.error.ErrorCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of the clients' operations and their failures. Safe for any thread. */
final class Operations {
    /** The kinds of operations. */
    enum Operation {
        PUT,
        SMALL_PUT,
        CONDITIONAL_PUT,
        APPEND,
        WRITE,
        TRUNCATE,
        READ,
        READ_RANGE,
        GET,
        SMALL_GET,
        STAT,
        LIST,
        RENAME,
        RENAME_DIRECTORY,
        REMOVE,
        ATTR;

        String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private final Map<Operation, Long> done = new EnumMap<>(Operation.class);
    private final Map<ErrorCode, Long> failed = new TreeMap<>();
    private final AtomicLong failedReads = new AtomicLong();

    synchronized void done(Operation operation) {
        done.merge(operation, 1L, Long::sum);
    }

    /** Counts an operation that ended with an error or without an answer. */
    synchronized void failed(Operation operation, ErrorCode code) {
        done(operation);
        failed.merge(code, 1L, Long::sum);
    }

    /** Counts a failed read that the current faults explain. */
    void unavoidable() {
        failedReads.incrementAndGet();
    }

    long unavoidableReadFailures() {
        return failedReads.get();
    }

    synchronized long total() {
        return done.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the number of operations of each kind. */
    synchronized Map<Operation, Long> counts() {
        return new EnumMap<>(done);
    }

    /** Returns the number of failures with each error code; tests of refusals count, too. */
    synchronized Map<ErrorCode, Long> failures() {
        return new TreeMap<>(failed);
    }
}
