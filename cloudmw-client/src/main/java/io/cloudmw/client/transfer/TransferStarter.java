package io.cloudmw.client.transfer;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.RunningTransfers;
import io.cloudmw.client.edit.EditRequest;
import io.cloudmw.client.edit.EditTransfer;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.client.read.GetTransfer;
import io.cloudmw.client.read.ReadEstimates;
import io.cloudmw.client.warm.WarmRequest;
import io.cloudmw.client.warm.WarmTransfer;
import io.cloudmw.client.write.PutEstimates;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.PutTransfer;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Location;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The starting point of one client's gets, puts, edits, warm-ups and estimates. Safe for any thread. */
public final class TransferStarter implements AutoCloseable {
    private final ClientContext context;
    private final RunningTransfers running = new RunningTransfers();

    /** @param context closed with this */
    public TransferStarter(ClientContext context) {
        this.context = context;
    }

    /** The number of transfers under way. */
    public int running() {
        return running.count();
    }

    /** Starts a get; the receipt comes when the destination has everything. */
    public CompletableFuture<GetReceipt> get(GetRequest request) {
        return running.start(new GetTransfer(context, request));
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
        return running.start(new PutTransfer(context, request));
    }

    /** Starts a warm-up; the receipt comes when all remaining switches are done. */
    public CompletableFuture<WarmReceipt> warm(WarmRequest request) {
        return running.start(new WarmTransfer(context, request));
    }

    /** Starts a change of part of a file; the receipt comes after the commit. */
    public CompletableFuture<PutReceipt> edit(EditRequest request) {
        return running.start(new EditTransfer(context, running, request));
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
