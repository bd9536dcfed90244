package io.cloudmw.client.read;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The timer that wakes one delivery at the time it asked for. Confined to the transfer's serial executor. */
final class DeliveryAlarm {
    /** Called on the transfer's executor. */
    interface Listener {
        /**
         * The time has come.
         *
         * @param overslept whether the alarm is so late that this process cannot have run; the helpers were not silent
         *     then
         */
        void rang(boolean overslept);
    }

    private static final long OVERSLEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientContext context;
    private final SerialExecutor serial;
    private final Listener listener;
    private @Nullable Future<?> timer;
    private long atNanos;
    /** The latest time at which the timer should fire. */
    private long dueNanos;

    DeliveryAlarm(ClientContext context, SerialExecutor serial, Listener listener) {
        this.context = context;
        this.serial = serial;
        this.listener = listener;
    }

    /** Sets the alarm; an alarm that is set to an earlier time stays. Returns false when the client was closed. */
    boolean set(long wakeNanos) {
        if (timer != null && !timer.isDone() && atNanos - wakeNanos <= 0) {
            return true; // early is harmless, and most alarms never need to be moved
        }
        cancel();
        atNanos = wakeNanos;
        long now = context.ticker().nanos();
        long delay = Math.max(0, atNanos - now);
        dueNanos = now + delay;
        timer = Threads.later(context.threads().timer(), delay, () -> serial.execute(this::ring))
                .orElse(null);
        return timer != null;
    }

    private void ring() {
        timer = null;
        listener.rang(context.ticker().nanos() - dueNanos >= OVERSLEPT_NANOS);
    }

    /** Idempotent. */
    void cancel() {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
