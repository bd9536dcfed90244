package io.cloudmw.helper.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.thread.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A check whether a process can serve. The check runs on a thread of its own, one run at a time. Requests that arrive
 * during a run share its answer, so a run that hangs occupies one thread and no other request. Safe for any thread.
 */
final class ReadinessCheck implements AutoCloseable {
    /** Requests that may wait for a run; others are answered at once. */
    static final int MOST_WAITING = 64;

    private final Supplier<Optional<String>> unready;

    /** The queue holds one run: the thread may still deliver one run's answers when the next is requested. */
    private final ThreadPoolExecutor thread = Threads.blocking("http-ready", 1, 1);

    @GuardedBy("this")
    private List<Consumer<Optional<String>>> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean running;

    /** @param unready the reason why the process cannot serve, empty when it can; may block */
    ReadinessCheck(Supplier<Optional<String>> unready) {
        this.unready = unready;
    }

    /** @param answer called once, by this thread or by the check's; must not throw */
    void ask(Consumer<Optional<String>> answer) {
        refusal(answer).ifPresent(reason -> answer.accept(Optional.of(reason)));
    }

    /** Queues a request; returns the reason when it cannot wait. */
    private synchronized Optional<String> refusal(Consumer<Optional<String>> answer) {
        if (waiting.size() >= MOST_WAITING) {
            return Optional.of(MOST_WAITING + " requests wait for the readiness check already");
        }
        if (!running) {
            try {
                thread.execute(this::check);
            } catch (RejectedExecutionException e) {
                return Optional.of("stopping");
            }
            running = true;
        }
        waiting.add(answer);
        return Optional.empty();
    }

    private void check() {
        Optional<String> reason;
        try {
            reason = unready.get();
        } catch (RuntimeException e) {
            reason = Optional.of("the readiness check failed: " + Reasons.of(e));
        }
        for (Consumer<Optional<String>> answer : taken()) {
            answer.accept(reason);
        }
    }

    private synchronized List<Consumer<Optional<String>>> taken() {
        List<Consumer<Optional<String>>> taken = waiting;
        waiting = new ArrayList<>();
        running = false;
        return taken;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
