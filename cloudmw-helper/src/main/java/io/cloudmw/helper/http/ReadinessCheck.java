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
 * Looks whether a process can serve, on a thread of its own, one look at a time. Requests that come during a look share its
 * answer, so a look that hangs holds up one thread and no other request. Safe for any thread.
 */
final class ReadinessCheck implements AutoCloseable {
    /** Requests that may wait for a look; more are answered at once. */
    static final int MOST_WAITING = 64;

    private final Supplier<Optional<String>> unready;

    /** The thread may still hand out one look's answers when the next look is asked for. */
    private final ThreadPoolExecutor thread = Threads.blocking("http-ready", 1, 1);

    @GuardedBy("this")
    private List<Consumer<Optional<String>>> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean looking;

    /** @param unready why the process cannot serve now; empty: it can. May block */
    ReadinessCheck(Supplier<Optional<String>> unready) {
        this.unready = unready;
    }

    /** @param answer called once, here or by the thread that looks; must not throw */
    void ask(Consumer<Optional<String>> answer) {
        refusal(answer).ifPresent(reason -> answer.accept(Optional.of(reason)));
    }

    /** Has a request wait, or says why it cannot. */
    private synchronized Optional<String> refusal(Consumer<Optional<String>> answer) {
        if (waiting.size() >= MOST_WAITING) {
            return Optional.of(MOST_WAITING + " others ask whether it is ready, and wait for the answer");
        }
        if (!looking) {
            try {
                thread.execute(this::look);
            } catch (RejectedExecutionException e) {
                return Optional.of("stopping");
            }
            looking = true;
        }
        waiting.add(answer);
        return Optional.empty();
    }

    private void look() {
        Optional<String> reason;
        try {
            reason = unready.get();
        } catch (RuntimeException e) {
            reason = Optional.of("cannot find out whether it is ready: " + Reasons.of(e));
        }
        for (Consumer<Optional<String>> answer : taken()) {
            answer.accept(reason);
        }
    }

    private synchronized List<Consumer<Optional<String>>> taken() {
        List<Consumer<Optional<String>>> taken = waiting;
        waiting = new ArrayList<>();
        looking = false;
        return taken;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
