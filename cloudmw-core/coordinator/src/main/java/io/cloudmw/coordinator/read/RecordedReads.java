package io.cloudmw.coordinator.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.recording.ReadReport;
import io.cloudmw.core.recording.RecordedAttempt;
import io.cloudmw.core.recording.RecordedRead;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The records of a sample of reads, as their readers report them. At most {@value #MAX_READS} reads and
 * {@value #MAX_ATTEMPTS} attempts are kept in memory; the oldest records make room. Safe for any thread; never blocks.
 */
public final class RecordedReads {
    /** The most records. */
    public static final int MAX_READS = 64;

    /** The most attempts of all records together. */
    public static final int MAX_ATTEMPTS = 32_768;

    /** How many reads that come together may be recorded, in seconds of the sample. */
    private static final int BURST_SECONDS = 2;

    /** A reader reports twice a second; without a report for so long it counts as silent. */
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int perSecond;
    private final Ticker ticker;
    private final WallClock clock;

    @GuardedBy("this")
    private final Map<String, Entry> records = new LinkedHashMap<>();

    @GuardedBy("this")
    private int attempts;

    @GuardedBy("this")
    private double allowance;

    @GuardedBy("this")
    private long allowedNanos;

    /** @param perSecond how many reads a second are recorded; 0: none */
    public RecordedReads(int perSecond, Ticker ticker, WallClock clock) {
        this.perSecond = perSecond;
        this.ticker = ticker;
        this.clock = clock;
        allowance = (double) perSecond * BURST_SECONDS;
        allowedNanos = ticker.nanos();
    }

    /** Returns the id under which a read is recorded; empty when it is not in the sample. */
    public synchronized Optional<String> begin(FilePath file, Mode mode) {
        long now = ticker.nanos();
        double earned = (now - allowedNanos) * (double) perSecond / TimeUnit.SECONDS.toNanos(1);
        allowance = Math.min((double) perSecond * BURST_SECONDS, allowance + earned);
        allowedNanos = now;
        if (allowance < 1) {
            return Optional.empty();
        }
        allowance--;
        String id = VersionId.random().value();
        records.put(id, new Entry(id, file, mode, Instant.ofEpochMilli(clock.millis()), now));
        if (records.size() > MAX_READS) {
            drop(now);
        }
        return Optional.of(id);
    }

    /**
     * Adds what a reader reports.
     *
     * @return false when there is no such record (any more), so that the reader may stop
     */
    public synchronized boolean report(ReadReport report) {
        Entry record = records.get(report.id());
        if (record == null) {
            return false;
        }
        attempts += record.add(report, ticker.nanos());
        while (attempts > MAX_ATTEMPTS) {
            drop(ticker.nanos());
        }
        return records.containsKey(report.id());
    }

    /** Returns the records that readers have reported, without attempts, the latest first. */
    public synchronized List<RecordedRead> recent() {
        long now = ticker.nanos();
        List<RecordedRead> recent = new ArrayList<>();
        for (Entry record : records.values()) {
            if (record.latest != null) {
                recent.add(0, record.read(List.of(), now));
            }
        }
        return recent;
    }

    /** Returns a record with its attempts. */
    public synchronized Optional<RecordedRead> find(String id) {
        return Optional.ofNullable(records.get(id))
                .filter(record -> record.latest != null)
                .map(record -> record.read(List.copyOf(record.attempts.values()), ticker.nanos()));
    }

    /** Drops the oldest record that has ended or is silent; when there is none, the oldest. */
    @GuardedBy("this")
    private void drop(long now) {
        Entry oldest = records.values().stream()
                .filter(record -> record.isOver() || record.isSilent(now))
                .findFirst()
                .orElseGet(() -> records.values().iterator().next());
        records.remove(oldest.id);
        attempts -= oldest.attempts.size();
    }

    /** Identifies an attempt of a read. */
    private record Key(int block, String racer, int number) {}

    /** A read on record. */
    private static final class Entry {
        private final String id;
        private final FilePath file;
        private final Mode mode;
        private final Instant began;
        private final Map<Key, RecordedAttempt> attempts = new LinkedHashMap<>();
        private long heardNanos;
        private @Nullable ReadReport latest;

        Entry(String id, FilePath file, Mode mode, Instant began, long nowNanos) {
            this.id = id;
            this.file = file;
            this.mode = mode;
            this.began = began;
            heardNanos = nowNanos;
        }

        boolean isOver() {
            return latest != null && latest.state() != RecordedRead.State.RUNNING;
        }

        boolean isSilent(long nowNanos) {
            return !isOver() && nowNanos - heardNanos >= SILENT_NANOS;
        }

        /** Adds a report; returns by how much the number of attempts grew. */
        int add(ReadReport report, long nowNanos) {
            heardNanos = nowNanos;
            latest = report;
            int before = attempts.size();
            for (RecordedAttempt attempt : report.attempts()) {
                Key key = new Key(attempt.block(), attempt.racer(), attempt.number());
                if (attempts.size() < RecordedRead.MAX_ATTEMPTS || attempts.containsKey(key)) {
                    attempts.put(key, attempt);
                }
            }
            return attempts.size() - before;
        }

        RecordedRead read(List<RecordedAttempt> shown, long nowNanos) {
            ReadReport last = Objects.requireNonNull(latest);
            return new RecordedRead(
                    id,
                    file.volume().value(),
                    file.path(),
                    last.wantedBytes(),
                    mode,
                    began,
                    last.elapsedNanos(),
                    last.state(),
                    isSilent(nowNanos),
                    last.error(),
                    shown,
                    last.omittedAttempts());
        }
    }
}
