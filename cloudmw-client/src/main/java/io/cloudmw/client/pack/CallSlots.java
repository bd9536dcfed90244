package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A limit on asynchronous work under way: further work waits in order of arrival. Safe for any thread. */
final class CallSlots {
    private final int most;

    @GuardedBy("this")
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private int busy;

    CallSlots(int most) {
        this.most = most;
    }

    /** Starts work once a slot is free; its future frees the slot. */
    <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable start = () -> {
            var unused = work.get().whenComplete((value, failure) -> {
                free();
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(value);
                }
            });
        };
        synchronized (this) {
            if (busy == most) {
                waiting.add(start);
                return result;
            }
            busy++;
        }
        start.run();
        return result;
    }

    private void free() {
        Runnable next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                busy--;
            }
        }
        if (next != null) {
            next.run();
        }
    }
}
