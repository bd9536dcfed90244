package io.cloudmw.client.write;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A watch over one put's progress: it decides when a put counts as stalled, and reports why it waits. Confined to the
 * transfer's executor.
 */
final class PutStallWatch {
    /** A put without progress for this long is stalled. */
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientContext context;
    private final SerialExecutor serial;
    private final Supplier<List<PutDelay.Reason>> uploads;
    private final Consumer<PutDelay> listener;
    private String phase = "the source is not open yet";
    private long advancedNanos;
    private @Nullable Future<?> look;
    private boolean closed;

    /**
     * @param uploads reasons why chunks are not stored yet; empty: the put waits for the coordinator
     * @param listener called every second while the put is stalled
     */
    PutStallWatch(
            ClientContext context,
            SerialExecutor serial,
            Supplier<List<PutDelay.Reason>> uploads,
            Consumer<PutDelay> listener) {
        this.context = context;
        this.serial = serial;
        this.uploads = uploads;
        this.listener = listener;
    }

    void start() {
        advanced();
        lookLater();
    }

    /** Records progress. */
    void advanced() {
        advancedNanos = context.ticker().nanos();
    }

    /** The text that explains a wait which no upload explains. */
    void phase(String waitsBecause) {
        phase = waitsBecause;
    }

    private void lookLater() {
        look = Threads.later(context.threads().timer(), LOOK_NANOS, () -> serial.execute(this::look))
                .orElse(null);
    }

    private void look() {
        if (closed) {
            return;
        }
        long lastedNanos = context.ticker().nanos() - advancedNanos;
        if (lastedNanos >= STALL_NANOS) {
            listener.accept(new PutDelay(Duration.ofNanos(lastedNanos), reasons()));
        }
        lookLater();
    }

    private List<PutDelay.Reason> reasons() {
        List<PutDelay.Reason> reasons = uploads.get();
        return reasons.isEmpty() ? List.of(PutDelay.Reason.of(PutDelay.Kind.COORDINATOR, phase)) : reasons;
    }

    /** Ends the reports. Idempotent. */
    void close() {
        closed = true;
        if (look != null) {
            look.cancel(false);
        }
    }
}
