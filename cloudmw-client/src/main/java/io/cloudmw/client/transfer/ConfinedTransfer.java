package io.cloudmw.client.transfer;

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
 * A transfer whose state is confined to its serial executor. It ends once: with its receipt, with a failure, or, when a
 * task throws, with that; whatever it is, everything is stopped and freed first, and nobody is left waiting.
 */
abstract class ConfinedTransfer<T> implements Transfer {
    private final Engine engine;
    private final String name;
    private final SerialExecutor serial;
    private final SerialExecutor files;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final CancellableFuture<T> result = new CancellableFuture<>(this::cancel, settled);
    private final long startedNanos;
    private @Nullable CompletableFuture<?> pending;
    private boolean over;
    private boolean broken;

    /** @param name for messages */
    ConfinedTransfer(Engine engine, String name) {
        this.engine = engine;
        this.name = name;
        serial = new SerialExecutor(engine.threads().events(), this::broken);
        files = new SerialExecutor(engine.threads().files(), this::broken);
        startedNanos = engine.ticker().nanos();
    }

    /** Takes the first step. */
    abstract void begin();

    /** Stops everything under way. Idempotent. */
    abstract void stop(ErrorCode why);

    /** Frees the source or the destination; may block. Idempotent. */
    abstract void free();

    final Engine engine() {
        return engine;
    }

    /** Owns the state. */
    final SerialExecutor serial() {
        return serial;
    }

    /** Does what may block with files of this machine, in order. */
    final SerialExecutor files() {
        return files;
    }

    final CancellableFuture<T> result() {
        return result;
    }

    @Override
    public final CompletableFuture<Void> settled() {
        return settled;
    }

    final Duration elapsed() {
        return Duration.ofNanos(engine.ticker().nanos() - startedNanos);
    }

    /** Whether its end is decided: what still happens does not matter any more. */
    final boolean isOver() {
        return over;
    }

    /** From now on it cannot be cancelled: its last step is under way. */
    final void beginLastStep() {
        over = true;
    }

    /** Continues on the serial executor with what a call gives, unless it is over by then; its end cancels the call. */
    final <A> void then(CompletableFuture<A> call, Consumer<A> next) {
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

    /** What may block, and fail. */
    interface Blocking<A> {
        A run() throws CloudMwException;
    }

    /** Does what may block elsewhere, and continues on the serial executor with what it gives, unless it is over by then. */
    final <A> void blocking(Executor where, Blocking<A> work, Consumer<A> next) {
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

    /** A call whose answer does not matter any more once this is over. */
    final void cancelAtEnd(CompletableFuture<?> call) {
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

    final void succeed(T receipt) {
        over = true;
        end(ErrorCode.CANCELLED, () -> result.complete(receipt));
    }

    /** Nothing when it is over. */
    final void fail(CloudMwException cause) {
        if (!over) {
            failLastStep(cause);
        }
    }

    /** Also when only the last step was left. */
    final void failLastStep(CloudMwException cause) {
        over = true;
        CloudMwException why = explained(cause);
        end(cause.code(), () -> result.completeExceptionally(why));
    }

    /** What it fails with, where it has something to add. */
    CloudMwException explained(CloudMwException cause) {
        return cause;
    }

    /** A task threw: nobody may wait for what it would have done. Any thread. */
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
            engine.settled(this);
            settled.complete(null);
            completion.run();
        }
    }
}
