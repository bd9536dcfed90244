package io.cloudmw.lab.torture;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.ClientMetrics;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.lab.torture.model.CallInterval;
import io.cloudmw.lab.torture.model.FindingKind;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** A client of the torture test that records the outcomes of its calls. Safe for any thread. */
final class TortureClient implements AutoCloseable {
    /** The time after which a call counts as never ending. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final Duration PATIENT = Duration.ofSeconds(60);
    /** A coordinator timeout shorter than some faults, so that the outcomes of some changes stay unknown. */
    private static final Duration IMPATIENT = Duration.ofSeconds(4);

    /** Error codes that no injected fault may cause. */
    private static final Set<ErrorCode> DEFECTS = EnumSet.of(
            ErrorCode.INTERNAL,
            ErrorCode.PROTOCOL_VIOLATION,
            ErrorCode.UNAUTHENTICATED,
            ErrorCode.VERSION_UNSUPPORTED,
            ErrorCode.VOLUME_NOT_FOUND,
            ErrorCode.LOCAL_IO);

    private final TortureRun run;
    private final int number;
    private final Duration patience;
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicBoolean counted = new AtomicBoolean();
    private final CloudMw client;

    TortureClient(TortureRun run, int number) {
        this.run = run;
        this.number = number;
        patience = number % 2 == 0 ? IMPATIENT : PATIENT;
        client = CloudMw.connect(
                run.fleet().clientOptions().withCoordinatorTimeout(patience).withMeters(meters));
    }

    int number() {
        return number;
    }

    /** Returns how long the client retries while the coordinator does not answer. */
    Duration patience() {
        return patience;
    }

    /** Starts several calls at once; {@link #ask} waits for each of them. */
    <T> List<CompletableFuture<T>> start(Function<CloudMw, List<CompletableFuture<T>>> calls) {
        return calls.apply(client);
    }

    /** Makes a call and waits for its outcome. */
    <T> CallOutcome<T> ask(Operations.Operation operation, FilePath path, Function<CloudMw, CompletableFuture<T>> call)
            throws InterruptedException {
        long from = run.now();
        CompletableFuture<T> future = call.apply(client);
        try {
            T answer = future.get(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
            run.operations().done(operation);
            return new CallOutcome<>(Optional.of(answer), Optional.empty(), "", new CallInterval(from, run.now()));
        } catch (ExecutionException e) {
            ErrorCode code = e.getCause() instanceof CloudMwException known ? known.code() : ErrorCode.INTERNAL;
            return failed(operation, path, code, String.valueOf(e.getCause()), from);
        } catch (TimeoutException e) {
            future.cancel(true);
            run.model()
                    .report(
                            FindingKind.UNEXPLAINED,
                            path,
                            operation.label() + ": no answer within " + LIMIT.toSeconds() + " s");
            return failed(operation, path, ErrorCode.DEADLINE_EXCEEDED, "no answer", from);
        }
    }

    private <T> CallOutcome<T> failed(
            Operations.Operation operation, FilePath path, ErrorCode code, String message, long from) {
        run.operations().failed(operation, code);
        run.journal().say("client " + number + " " + operation.label() + " " + path + ": " + message);
        if (DEFECTS.contains(code)) {
            run.model().report(FindingKind.UNEXPLAINED, path, operation.label() + " failed with " + message);
        }
        return new CallOutcome<>(Optional.empty(), Optional.of(code), message, new CallInterval(from, run.now()));
    }

    /** Closes the client, which removes its meters. Idempotent. */
    @Override
    public void close() {
        if (counted.compareAndSet(false, true)) {
            run.packs().put().addAndGet(packs());
        }
        client.close();
    }

    /** Returns how many packs of several small files were put. */
    private long packs() {
        return meters
                .find(ClientMetrics.TRANSFERS)
                .tag(ClientMetrics.OPERATION, "pack")
                .tag(ClientMetrics.CODE, ClientMetrics.OK)
                .timers()
                .stream()
                .mapToLong(Timer::count)
                .sum();
    }
}
