package io.cloudmw.core.monitor;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.monitor.sketch.AgedHistogram;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.DecayedCount;
import java.util.EnumMap;
import java.util.Map;

/** The live figures of one key. Not thread-safe. */
final class SpeedRecord {
    private final AgedHistogram recentEnded;
    private final AgedHistogram recentCut;
    private final AgedHistogram ended;
    private final AgedHistogram cut;
    private final AgedHistogram rate;
    private final DecayedCount attempts;
    private final Map<ErrorCode, DecayedCount> errors = new EnumMap<>(ErrorCode.class);
    private final DecayedCount recentReads;
    private final DecayedCount recentBytes;

    /** Counts changes; a report made at an older count is out of date. */
    private long changes;

    private long reported;

    private long reportedAt;

    SpeedRecord(long nowNanos) {
        recentEnded = new AgedHistogram(Speed.RECENT_NANOS, nowNanos);
        recentCut = new AgedHistogram(Speed.RECENT_NANOS, nowNanos);
        ended = new AgedHistogram(Speed.BASELINE_NANOS, nowNanos);
        cut = new AgedHistogram(Speed.BASELINE_NANOS, nowNanos);
        rate = new AgedHistogram(Speed.BASELINE_NANOS, nowNanos);
        attempts = new DecayedCount(Speed.BASELINE_NANOS, nowNanos);
        recentReads = new DecayedCount(Speed.RECENT_NANOS, nowNanos);
        recentBytes = new DecayedCount(Speed.RECENT_NANOS, nowNanos);
    }

    void began(long now) {
        attempts.add(1, now);
        recentReads.add(1, now);
        changes++;
    }

    void firstByte(long micros, long now) {
        recentEnded.record(micros, now);
        ended.record(micros, now);
        changes++;
    }

    void cutBeforeFirstByte(long micros, long now) {
        recentCut.record(micros, now);
        cut.record(micros, now);
        changes++;
    }

    void rate(long kibPerSecond, long now) {
        rate.record(kibPerSecond, now);
        changes++;
    }

    void bytes(long bytes, long now) {
        recentBytes.add((double) bytes, now);
        changes++;
    }

    void failed(ErrorCode code, long now) {
        errors.computeIfAbsent(code, ignored -> new DecayedCount(Speed.BASELINE_NANOS, now))
                .add(1, now);
        changes++;
    }

    long changes() {
        return changes;
    }

    boolean hasNews() {
        return changes != reported;
    }

    /** The monitor's count at its last report; 0: never. */
    long reportedAt() {
        return reportedAt;
    }

    void reported(long atChanges, long at) {
        reported = Math.max(reported, atChanges);
        reportedAt = at;
    }

    void forgetReported() {
        reported = 0;
    }

    Speed speed(long now) {
        Map<ErrorCode, Double> failures = new EnumMap<>(ErrorCode.class);
        errors.forEach((code, count) -> failures.put(code, count.at(now)));
        return new Speed(
                new CensoredSketch(recentEnded.sketch(now), recentCut.sketch(now)),
                new CensoredSketch(ended.sketch(now), cut.sketch(now)),
                rate.sketch(now),
                attempts.at(now),
                failures,
                recentReads.at(now),
                recentBytes.at(now));
    }
}
