package io.cloudmw.helper.compete;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The next wake-up of a race: at most one timer, at the earliest time. Confined to the transfer's executor. */
final class WakeUp {
    /** The timer of a transfer, which runs a task on its executor. */
    @FunctionalInterface
    interface Timer {
        /** Schedules a task; empty when the helper is closing. */
        Optional<Future<?>> after(long delayNanos, Runnable task);
    }

    private final Timer timer;
    private @Nullable Future<?> scheduled;
    private long atNanos;

    WakeUp(Timer timer) {
        this.timer = timer;
    }

    /** Schedules a task, unless an earlier wake-up is scheduled already. */
    void schedule(OptionalLong at, long nowNanos, Runnable task) {
        if (at.isEmpty()) {
            return;
        }
        boolean sooner = scheduled == null || scheduled.isDone() || at.getAsLong() - atNanos < 0;
        if (sooner) {
            cancel();
            atNanos = at.getAsLong();
            scheduled = timer.after(Math.max(0, atNanos - nowNanos), () -> {
                        scheduled = null;
                        task.run();
                    })
                    .orElse(null);
        }
    }

    /** Cancels the scheduled wake-up, if there is one. */
    void cancel() {
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }
}
