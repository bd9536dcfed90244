package io.cloudmw.lab.torture.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.lab.torture.model.CallInterval;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The intervals in which a store or a coordinator may be unavailable: from before the fault until its recovery is
 * observed.
 */
public final class Outages {
    @GuardedBy("this")
    private final Map<String, List<CallInterval>> over = new HashMap<>();

    @GuardedBy("this")
    private final Map<String, Long> lasting = new HashMap<>();

    public synchronized void begin(String what, long now) {
        lasting.putIfAbsent(what, now);
    }

    public synchronized void end(String what, long now) {
        Long from = lasting.remove(what);
        if (from != null) {
            over.computeIfAbsent(what, unused -> new ArrayList<>()).add(new CallInterval(from, now));
        }
    }

    public synchronized boolean lasts(String what) {
        return lasting.containsKey(what);
    }

    /** Returns for how much of an interval it was unavailable. */
    public synchronized long nanos(String what, CallInterval span) {
        long nanos = 0;
        for (CallInterval one : over.getOrDefault(what, List.of())) {
            nanos += overlap(one, span);
        }
        Long from = lasting.get(what);
        return from == null ? nanos : nanos + overlap(new CallInterval(from, Math.max(from, span.to())), span);
    }

    private static long overlap(CallInterval one, CallInterval other) {
        return Math.max(0, Math.min(one.to(), other.to()) - Math.max(one.from(), other.from()));
    }
}
