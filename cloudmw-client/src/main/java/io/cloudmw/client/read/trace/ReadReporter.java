package io.cloudmw.client.read.trace;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.core.recording.ReadReport;
import io.cloudmw.core.recording.RecordedAttempt;
import io.cloudmw.core.recording.RecordedRead;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reports of one read to the coordinator: twice a second while it runs, and once at its end. A report has what
 * changed since the one before; one report is on its way at a time. The read never waits for a report, and its outcome
 * does not depend on them. Confined to the transfer.
 */
final class ReadReporter implements AttemptListener {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Logger log = LoggerFactory.getLogger(ReadReporter.class);

    private final ClientContext context;
    private final SerialExecutor serial;
    private final String id;
    private final long wantedBytes;
    private final LongSupplier elapsedNanos;
    /** The attempts on record that may change. */
    private final Set<TimedAttempt> recorded = new HashSet<>();

    private final Set<TimedAttempt> changed = new LinkedHashSet<>();
    private int recordedCount;
    private long omitted;
    private Progress progress = Progress.RUNNING;
    private RecordedRead.State outcome = RecordedRead.State.RUNNING;
    private String error = "";
    private boolean reporting;

    private enum Progress {
        RUNNING,
        /** The last report waits for the one before it. */
        ENDING,
        ENDED
    }

    /**
     * @param id the id of the record, from the plan
     * @param elapsedNanos the time since the read began
     */
    ReadReporter(ClientContext context, SerialExecutor serial, String id, long wantedBytes, LongSupplier elapsedNanos) {
        this.context = context;
        this.serial = serial;
        this.id = id;
        this.wantedBytes = wantedBytes;
        this.elapsedNanos = elapsedNanos;
        reportLater();
    }

    @Override
    public void opened(TimedAttempt attempt) {
        if (recordedCount == RecordedRead.MAX_ATTEMPTS) {
            omitted++;
            return;
        }
        recordedCount++;
        recorded.add(attempt);
        changed.add(attempt);
    }

    /** Counts attempts that nobody follows. */
    void omit(int attempts) {
        omitted += attempts;
    }

    @Override
    public void changed(TimedAttempt attempt) {
        if (recorded.contains(attempt)) {
            changed.add(attempt);
        }
    }

    @Override
    public void settled(TimedAttempt attempt) {
        recorded.remove(attempt);
    }

    /** Sends the last report. */
    void ended(RecordedRead.State how, String failure) {
        if (progress == Progress.RUNNING) {
            progress = Progress.ENDING;
            outcome = how;
            error = failure;
            report();
        }
    }

    private void reportLater() {
        var unused = Threads.later(
                context.threads().timer(),
                INTERVAL_NANOS,
                () -> serial.execute(() -> {
                    if (progress == Progress.RUNNING) {
                        report();
                        reportLater();
                    }
                }));
    }

    private void report() {
        if (reporting || progress == Progress.ENDED) {
            return;
        }
        reporting = true;
        List<TimedAttempt> sent = List.copyOf(changed);
        changed.clear();
        boolean last = progress == Progress.ENDING;
        List<RecordedAttempt> attempts = sent.stream().map(TimedAttempt::record).toList();
        CompletableFuture<Boolean> call = context.coordinator()
                .recording()
                .report(new ReadReport(id, wantedBytes, elapsedNanos.getAsLong(), outcome, error, attempts, omitted));
        if (last) {
            progress = Progress.ENDED;
            context.lastCalls().add(call);
        }
        var unused = call.whenComplete((wanted, failure) -> serial.execute(() -> reported(sent, wanted, failure)));
    }

    private void reported(List<TimedAttempt> sent, Boolean wanted, Throwable failure) {
        reporting = false;
        if (failure != null) {
            log.debug("record of a read not reported: id={}", id, failure);
            changed.addAll(sent);
        } else if (!wanted) {
            progress = Progress.ENDED;
        }
        if (progress == Progress.ENDING) {
            report();
        }
    }
}
