package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.rpc.CancellableFuture;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.thread.SerialExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One get from its plan to its receipt: asks for the plan, opens the destination, waits for its share of memory, lets
 * {@link Reception} deliver, and makes the destination last or leaves no trace of it. Its state is confined to its
 * serial executor.
 */
final class GetTransfer implements Transfer {
    private final Engine engine;
    private final GetRequest request;
    private final SerialExecutor serial;
    private final SerialExecutor files;
    private final ReadLedger ledger;
    private final CancellableFuture<GetReceipt> result = new CancellableFuture<>(this::cancel);
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final long startedNanos;
    private @Nullable CompletableFuture<?> pending;
    private volatile @Nullable LeafSink sink;
    private @Nullable Reception reception;
    private boolean over;
    private boolean broken;

    GetTransfer(Engine engine, GetRequest request) {
        this.engine = engine;
        this.request = request;
        serial = new SerialExecutor(engine.threads().events(), this::broken);
        files = new SerialExecutor(engine.threads().files(), this::broken);
        ledger = new ReadLedger(request.listener());
        startedNanos = engine.ticker().nanos();
    }

    CancellableFuture<GetReceipt> result() {
        return result;
    }

    @Override
    public CompletableFuture<Void> settled() {
        return settled;
    }

    @Override
    public void start() {
        CompletableFuture<ReadPlan> call = engine.coordinator().planRead(request.file(), request.version());
        pending = call;
        var unused = call.whenComplete((plan, failure) -> serial.execute(() -> {
            if (plan != null) {
                planned(plan);
            } else if (failure != null) {
                fail(Failures.of(failure));
            }
        }));
    }

    @Override
    public void cancel() {
        serial.execute(() -> fail(new CloudMwException(ErrorCode.CANCELLED, request.file() + ": cancelled")));
    }

    private void planned(ReadPlan plan) {
        if (over) {
            return;
        }
        long size = plan.version().sizeBytes();
        ByteRange wanted = request.range().orElse(new ByteRange(0, size));
        if (wanted.end() > size) {
            fail(new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    request.file() + ": range " + wanted + " (expected: within its " + size + " bytes)"));
            return;
        }
        ledger.planned(
                plan.version(),
                plan.helpers().stream().map(helper -> helper.id().value()).toList());
        LeafSink opened = request.destination().sink(wanted);
        sink = opened;
        files.execute(() -> {
            try {
                opened.open();
                serial.execute(() -> admit(plan, wanted, opened));
            } catch (CloudMwException e) {
                serial.execute(() -> fail(e));
            }
        });
    }

    private void admit(ReadPlan plan, ByteRange wanted, LeafSink opened) {
        if (over) {
            return;
        }
        // Two leaves are enough for one relay to keep moving.
        long least =
                Math.min(2L * plan.version().leafSizeBytes(), engine.credit().capacity());
        CompletableFuture<Void> admitted = engine.credit().reserve(least);
        pending = admitted;
        var unused = admitted.thenRun(() -> serial.execute(() -> receive(plan, wanted, opened, least)));
    }

    private void receive(ReadPlan plan, ByteRange wanted, LeafSink opened, long reserved) {
        if (over) {
            engine.credit().giveBack(reserved);
            return;
        }
        pending = null;
        TransferCredit credit = new TransferCredit(engine.credit(), reserved, request.memoryBytes());
        reception = new Reception(engine, serial, plan, wanted, opened, credit, ledger, new Reception.Outcome() {
            @Override
            public void delivered() {
                commit(plan, wanted, opened);
            }

            @Override
            public void failed(CloudMwException cause) {
                fail(cause);
            }
        });
        reception.start();
    }

    /** Everything was handed on. The racers' last words, for the receipt, arrive while the file is forced to disk. */
    private void commit(ReadPlan plan, ByteRange wanted, LeafSink opened) {
        if (over) {
            return;
        }
        over = true;
        CompletableFuture<Void> heard =
                reception == null ? CompletableFuture.completedFuture(null) : reception.lastWords();
        files.execute(() -> {
            try {
                opened.commit();
                var unused = heard.thenRun(() -> serial.execute(() -> succeed(plan, wanted)));
            } catch (CloudMwException e) {
                serial.execute(() -> end(e));
            }
        });
    }

    private void succeed(ReadPlan plan, ByteRange wanted) {
        closeReception(ErrorCode.CANCELLED);
        Duration elapsed = Duration.ofNanos(engine.ticker().nanos() - startedNanos);
        GetReceipt receipt = ledger.receipt(plan.version(), wanted.length(), elapsed);
        settled.complete(null);
        result.complete(receipt);
    }

    private void fail(CloudMwException cause) {
        if (!over) {
            over = true;
            end(cause);
        }
    }

    /** A task threw: nobody may wait for what it would have done. Any thread. */
    private void broken(Throwable defect) {
        serial.execute(() -> {
            if (!broken) {
                broken = true;
                over = true;
                end(Failures.of(defect));
            }
        });
    }

    private void end(CloudMwException cause) {
        try {
            if (pending != null) {
                pending.cancel(true);
            }
            closeReception(cause.code());
        } finally {
            files.execute(() -> abort(cause));
        }
    }

    private void abort(CloudMwException cause) {
        LeafSink opened = sink;
        try {
            if (opened != null) {
                opened.abort();
            }
        } finally {
            settled.complete(null);
            result.completeExceptionally(cause);
        }
    }

    private void closeReception(ErrorCode why) {
        if (reception != null) {
            reception.close(why);
        }
    }
}
