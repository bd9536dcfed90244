package io.cloudmw.lab.torture;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.lab.torture.model.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When which store, or the coordinator, could not be counted upon: from before it was harmed until it was seen to be back. */
final class Outages {
    @GuardedBy("this")
    private final Map<String, List<Span>> over = new HashMap<>();

    @GuardedBy("this")
    private final Map<String, Long> lasting = new HashMap<>();

    synchronized void begin(String what, long now) {
        lasting.putIfAbsent(what, now);
    }

    synchronized void end(String what, long now) {
        Long from = lasting.remove(what);
        if (from != null) {
            over.computeIfAbsent(what, unused -> new ArrayList<>()).add(new Span(from, now));
        }
    }

    synchronized boolean lasts(String what) {
        return lasting.containsKey(what);
    }

    /** For how much of this time it was not there. */
    synchronized long nanos(String what, Span span) {
        long nanos = 0;
        for (Span one : over.getOrDefault(what, List.of())) {
            nanos += overlap(one, span);
        }
        Long from = lasting.get(what);
        return from == null ? nanos : nanos + overlap(new Span(from, Math.max(from, span.to())), span);
    }

    private static long overlap(Span one, Span other) {
        return Math.max(0, Math.min(one.to(), other.to()) - Math.max(one.from(), other.from()));
    }
}
