package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.rpc.CancellableFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A caller's future of work that may be shared with other callers. Cancelling it lets the work go on for the others;
 * work that has no caller left is cancelled. Safe for any thread.
 */
final class SharedCall<T> {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CancellableFuture<T> result = new CancellableFuture<>(() -> {}, ended);

    /** The caller's future. */
    CancellableFuture<T> result() {
        return result;
    }

    boolean isDone() {
        return result.isDone();
    }

    /** The work is over, with this result. */
    void complete(T value) {
        result.complete(value);
        ended.complete(null);
    }

    /** The work is over, or was never begun. */
    void fail(Throwable cause) {
        result.completeExceptionally(Failures.of(cause));
        ended.complete(null);
    }

    /** The work for a caller who has gone is over. */
    void end() {
        ended.complete(null);
    }

    /** Cancels work when none of its callers waits any more. */
    static void cancelWithLast(List<? extends SharedCall<?>> callers, CompletableFuture<?> work) {
        Countdown left = new Countdown(callers.size(), work);
        List<SharedCall<?>> all = new ArrayList<>(callers);
        all.forEach(caller -> {
            var unused = caller.result.whenComplete((value, failure) -> {
                if (caller.result.isCancelled()) {
                    left.gone();
                }
            });
        });
    }

    private static final class Countdown {
        private final CompletableFuture<?> work;

        @GuardedBy("this")
        private int left;

        Countdown(int callers, CompletableFuture<?> work) {
            this.left = callers;
            this.work = work;
        }

        void gone() {
            boolean last;
            synchronized (this) {
                left--;
                last = left == 0;
            }
            if (last) {
                work.cancel(true);
            }
        }
    }
}
