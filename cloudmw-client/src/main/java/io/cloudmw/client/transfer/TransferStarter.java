package io.cloudmw.client.transfer;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.context.RunningTransfers;
import io.cloudmw.client.edit.ChangeTransfer;
import io.cloudmw.client.edit.EditRequest;
import io.cloudmw.client.edit.EditTransfer;
import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.progress.WriteShare;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.client.read.GetTransfer;
import io.cloudmw.client.read.ReadEstimates;
import io.cloudmw.client.warm.WarmRequest;
import io.cloudmw.client.warm.WarmTransfer;
import io.cloudmw.client.write.PutEstimates;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.PutTransfer;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.metrics.ClientMetrics;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Location;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;

/** The starting point of one client's gets, puts, edits, warm-ups and estimates. Safe for any thread. */
public final class TransferStarter implements AutoCloseable {
    private final ClientContext context;
    private final RunningTransfers running = new RunningTransfers();
    private final ClientMetrics metrics;

    /** Starts transfers that are not measured; see {@link #TransferStarter(ClientContext, ClientMetrics)}. */
    public TransferStarter(ClientContext context) {
        this(context, new ClientMetrics(new CompositeMeterRegistry()));
    }

    /**
     * @param context closed with this
     * @param metrics counts the transfers
     */
    public TransferStarter(ClientContext context, ClientMetrics metrics) {
        this.context = context;
        this.metrics = metrics;
        metrics.watch(running::count, context.reads().credit()::free);
    }

    /** Counts a transfer when it has ended. */
    private <T> CompletableFuture<T> measured(String operation, ConfinedTransfer<T> transfer, ToLongFunction<T> bytes) {
        long begun = context.ticker().nanos();
        CompletableFuture<T> result = running.start(transfer);
        var unused = result.whenComplete((receipt, failure) -> metrics.ended(
                operation,
                failure == null ? ClientMetrics.OK : code(failure),
                context.ticker().nanos() - begun,
                failure == null ? bytes.applyAsLong(receipt) : 0));
        return result;
    }

    private static long storedBytes(PutReceipt receipt) {
        return receipt.helpers().values().stream().mapToLong(WriteShare::bytes).sum();
    }

    private static String code(Throwable failure) {
        Throwable reason = Reasons.unwrapped(failure);
        if (reason instanceof CloudMwException known) {
            return known.code().name();
        }
        return (reason instanceof CancellationException ? ErrorCode.CANCELLED : ErrorCode.INTERNAL).name();
    }

    /** The number of transfers under way. */
    public int running() {
        return running.count();
    }

    /** Starts a get; the receipt comes when the destination has everything. */
    public CompletableFuture<GetReceipt> get(GetRequest request) {
        CompletableFuture<GetReceipt> result = measured("get", new GetTransfer(context, request), GetReceipt::bytes);
        var unused = result.thenAccept(receipt -> metrics.read(
                receipt.usefulBytes() - receipt.directBytes(), receipt.directBytes(), receipt.peerBytes()));
        return result;
    }

    /** Estimates the cost of a put. */
    public CompletableFuture<PutEstimate> estimatePut(VolumeName volume, long sizeBytes) {
        return context.coordinator()
                .volume(volume)
                .thenCombine(
                        context.coordinator().stores(),
                        (into, stores) -> PutEstimates.of(into, stores, sizeBytes, context.pricing()));
    }

    /**
     * Estimates the time and cost of a get.
     *
     * @param link bytes per second that the destination takes; empty: the share of this machine's link for one more
     *     read
     */
    public CompletableFuture<ReadEstimate> estimate(
            FilePath file, Optional<Mode> mode, Optional<Duration> deadline, OptionalLong link) {
        long bytesPerSecond = link.orElseGet(context.reads().link()::bytesPerSecondWithOneMore);
        return context.coordinator()
                .planRead(file, Optional.empty(), mode, Location.NONE)
                .thenApplyAsync(
                        plan -> ReadEstimates.of(plan, mode, deadline, bytesPerSecond, context),
                        context.threads().events());
    }

    /** Compares a local file with a version; true when the bytes are the same. */
    public CompletableFuture<Boolean> isCopy(Path file, FileVersion version) {
        return ContentComparison.of(context, file, version);
    }

    /** Starts a put; the receipt comes after the commit. */
    public CompletableFuture<PutReceipt> put(PutRequest request) {
        return measured("put", new PutTransfer(context, request), TransferStarter::storedBytes);
    }

    /** Starts the put of a batch of so many small files. */
    public <T> CompletableFuture<T> batch(ConfinedTransfer<T> batch, ToLongFunction<T> bytes, int files) {
        return measured(files == 1 ? "put" : "pack", batch, bytes);
    }

    /** Starts a warm-up; the receipt comes when all remaining switches are done. */
    public CompletableFuture<WarmReceipt> warm(WarmRequest request) {
        return measured("warm", new WarmTransfer(context, request), WarmReceipt::bytes);
    }

    /** Starts a change of part of a file; the receipt comes after the commit. */
    public CompletableFuture<PutReceipt> edit(EditRequest request) {
        return measured("edit", new EditTransfer(context, running, request), TransferStarter::storedBytes);
    }

    /** Starts a change of several parts of a file; the receipt comes after the commit. */
    public CompletableFuture<PutReceipt> change(FileChange change, TransferListener listener, PutTerms terms) {
        return measured(
                "edit", new ChangeTransfer(context, running, change, listener, terms), TransferStarter::storedBytes);
    }

    /**
     * Cancels the transfers under way, waits a few seconds at most for their clean-up, then closes the context.
     * Idempotent.
     */
    @Override
    public void close() {
        context.reads().peers().refuse();
        running.close();
        context.close();
    }
}
