package io.cloudmw.client.context;

import io.cloudmw.client.rpc.CancellableFuture;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.thread.SerialExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A transfer whose state is confined to one serial executor. It ends once: with its receipt, with a failure, or with
 * the exception of a task that threw. In each case it stops and frees everything before its future completes.
 */
public abstract class ConfinedTransfer<T> implements Transfer {
    private final ClientContext context;
    private final String name;
    private final SerialExecutor serial;
    private final SerialExecutor files;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final CancellableFuture<T> result = new CancellableFuture<>(this::cancel, settled);
    private final long startedNanos;
    private @Nullable CompletableFuture<?> pending;
    private volatile Runnable beforeSettled = () -> {};
    private boolean over;
    private boolean broken;

    /** @param name for messages */
    public ConfinedTransfer(ClientContext context, String name) {
        this.context = context;
        this.name = name;
        serial = new SerialExecutor(context.threads().events(), this::broken);
        files = new SerialExecutor(context.threads().files(), this::broken);
        startedNanos = context.ticker().nanos();
    }

    /** Takes the first step. */
    protected abstract void begin();

    /** Stops everything under way. Idempotent. */
    protected abstract void stop(ErrorCode why);

    /** Frees the source or the destination; may block. Idempotent. */
    protected abstract void free();

    public final ClientContext context() {
        return context;
    }

    /** The executor that owns the state. */
    public final SerialExecutor serial() {
        return serial;
    }

    /** Runs work that may block on local files, in order. */
    public final SerialExecutor files() {
        return files;
    }

    public final CancellableFuture<T> result() {
        return result;
    }

    @Override
    public final void beforeSettled(Runnable task) {
        beforeSettled = task;
    }

    @Override
    public final CompletableFuture<Void> settled() {
        return settled;
    }

    public final Duration elapsed() {
        return Duration.ofNanos(context.ticker().nanos() - startedNanos);
    }

    /** Returns whether the transfer's end is decided; later events are ignored. */
    public final boolean isOver() {
        return over;
    }

    /** Begins the last step, after which the transfer cannot be cancelled. */
    public final void beginLastStep() {
        over = true;
    }

    /**
     * Continues on the serial executor with the call's result, unless the transfer is over by then; its end cancels the
     * call.
     */
    public final <A> void then(CompletableFuture<A> call, Consumer<A> next) {
        cancelAtEnd(call);
        var unused = call.whenComplete((answer, failure) -> serial.execute(() -> {
            if (over) {
                return;
            }
            if (failure != null) {
                fail(Failures.of(failure));
            } else {
                next.accept(answer);
            }
        }));
    }

    /** Work that may block, and fail. */
    public interface Blocking<A> {
        A run() throws CloudMwException;
    }

    /**
     * Runs blocking work elsewhere, and continues on the serial executor with its result, unless the transfer is over
     * by then.
     */
    public final <A> void blocking(Executor where, Blocking<A> work, Consumer<A> next) {
        CompletableFuture<A> done = new CompletableFuture<>();
        where.execute(() -> {
            try {
                done.complete(work.run());
            } catch (CloudMwException | RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        then(done, next);
    }

    /** Cancels the call when the transfer ends. */
    public final void cancelAtEnd(CompletableFuture<?> call) {
        pending = call;
    }

    @Override
    public final void start() {
        serial.execute(this::begin);
    }

    @Override
    public final void cancel() {
        serial.execute(() -> fail(new CloudMwException(ErrorCode.CANCELLED, name + ": cancelled")));
    }

    public final void succeed(T receipt) {
        over = true;
        end(ErrorCode.CANCELLED, () -> result.complete(receipt));
    }

    /** Fails the transfer, unless it is over. */
    public final void fail(CloudMwException cause) {
        if (!over) {
            failLastStep(cause);
        }
    }

    /** Fails the transfer, even during its last step. */
    public final void failLastStep(CloudMwException cause) {
        over = true;
        CloudMwException why = explained(cause);
        end(cause.code(), () -> result.completeExceptionally(why));
    }

    /** The exception to fail with; subclasses may add an explanation. */
    public CloudMwException explained(CloudMwException cause) {
        return cause;
    }

    /** Fails after a task threw, because its continuation will never come. Any thread. */
    private void broken(Throwable defect) {
        serial.execute(() -> {
            if (!broken) {
                broken = true;
                failLastStep(Failures.of(defect));
            }
        });
    }

    private void end(ErrorCode why, Runnable completion) {
        try {
            if (pending != null) {
                pending.cancel(true);
            }
            stop(why);
        } finally {
            files.execute(() -> settle(completion));
        }
    }

    private void settle(Runnable completion) {
        try {
            free();
        } finally {
            beforeSettled.run();
            settled.complete(null);
            completion.run();
        }
    }
}
