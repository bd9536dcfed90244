package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A limit on asynchronous work under way: further work waits in order of arrival. Safe for any thread. */
final class CallSlots {
    private final int most;

    @GuardedBy("this")
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private int busy;

    /** Whether a thread starts the work that waits. */
    @GuardedBy("this")
    private boolean starting;

    CallSlots(int most) {
        this.most = most;
    }

    /** Starts work once a slot is free; its future frees the slot. Work that throws has failed. */
    <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable start = () -> {
            var unused = begin(work).whenComplete((value, failure) -> {
                free();
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(value);
                }
            });
        };
        synchronized (this) {
            waiting.add(start);
        }
        startWaiting();
        return result;
    }

    private static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void free() {
        synchronized (this) {
            busy--;
        }
        startWaiting();
    }

    /** Starts what may start, in a loop: work that is done at once would need a deep stack otherwise. */
    private void startWaiting() {
        synchronized (this) {
            if (starting) {
                return;
            }
            starting = true;
        }
        for (Runnable next = next(); next != null; next = next()) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = busy < most ? waiting.poll() : null;
        if (next == null) {
            starting = false;
        } else {
            busy++;
        }
        return next;
    }
}
