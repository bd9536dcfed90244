package io.cloudmw.client.edit;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.context.RetryLimits;
import io.cloudmw.client.context.RunningTransfers;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.client.read.GetTransfer;
import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.client.write.ChangedChunks;
import io.cloudmw.client.write.PreparedEdit;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.PutTransfer;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.store.UnlinkedFile;
import io.cloudmw.core.thread.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A change of part of a file, made as a new version. It reads the unchanged bytes of changed chunks from the base
 * into a nameless temporary file, and puts those chunks; the versions share the others. An append that another
 * commit overtook is repeated on the new version, a bounded number of times. Its state is confined to its serial
 * executor.
 */
public final class EditTransfer extends ConfinedTransfer<PutReceipt> {
    /** Including the first one. */
    public static final int MAX_APPENDS = 16;

    private final RunningTransfers running;
    private final EditRequest request;
    private final Executor source;
    private long length;
    private int conflicts;
    private volatile @Nullable FileChannel kept;
    private @Nullable PutTransfer underWay;

    public EditTransfer(ClientContext context, RunningTransfers running, EditRequest request) {
        super(context, request.file().toString());
        this.running = running;
        this.request = request;
        // Files are opened and freed in order, whenever the edit is cancelled. A stream is open already.
        source = request.source().isStream() ? context.threads().sources() : files();
    }

    @Override
    protected void begin() {
        blocking(
                files(),
                this::openKept,
                opened -> blocking(source, this::open, bytes -> {
                    length = bytes;
                    ask();
                }));
    }

    private FileChannel openKept() throws CloudMwException {
        try {
            FileChannel opened = UnlinkedFile.open();
            kept = opened;
            return opened;
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "temporary file: cannot make it: " + Reasons.of(e), e);
        }
    }

    private long open() throws CloudMwException {
        OptionalLong bytes = request.source().open();
        return bytes.isPresent() ? bytes.getAsLong() : request.source().measure();
    }

    private void ask() {
        then(
                context().coordinator().beginEdit(request.file(), new Edit(request.kind(), request.offset(), length)),
                this::begun);
    }

    private void begun(EditParameters edit) {
        ChunkCutter cutter;
        ChangedChunks changed;
        ByteRange before;
        ByteRange behind;
        try {
            cutter = new ChunkCutter(edit.sizeBytes(), edit.put().chunkSizeBytes());
            changed = ChangedChunks.of(edit, cutter);
            before = changed.before(edit.written(), cutter);
            behind = changed.behind(edit.written(), cutter);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            fail(Failures.violation("begin edit: " + e.getMessage()));
            return;
        }
        then(
                keep(edit, before, 0),
                first -> then(keep(edit, behind, before.length()), second -> put(edit, changed, before)));
    }

    /** Reads a range of the base into the temporary file. */
    private CompletableFuture<Void> keep(EditParameters edit, ByteRange range, long position) {
        FileChannel into = kept;
        if (range.isEmpty() || edit.base().isEmpty() || into == null) {
            return CompletableFuture.completedFuture(null);
        }
        FileVersion base = edit.base().get();
        PositionalTarget target = (offset, bytes) -> write(into, position + offset - range.offset(), bytes);
        GetTransfer read = new GetTransfer(
                context(),
                new GetRequest(
                        request.file(),
                        Optional.of(base.id()),
                        Optional.of(range),
                        Optional.empty(),
                        Optional.empty(),
                        GetRequest.Destination.target(target),
                        request.memoryBytes(),
                        TransferListener.NONE,
                        Optional.empty(),
                        Priority.BATCH,
                        Location.NONE));
        return running.start(read).thenAccept(receipt -> {});
    }

    private static void write(FileChannel into, long position, ByteBuffer bytes) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += into.write(bytes, at);
        }
    }

    private void put(EditParameters edit, ChangedChunks changed, ByteRange before) {
        FileChannel from = kept;
        if (from == null) {
            throw new IllegalStateException("not open");
        }
        PutTransfer put = new PutTransfer(
                context(),
                new PutRequest(
                                request.file(),
                                new EditedSource(request.source(), from, edit.sizeBytes(), before, edit.written()),
                                request.listener(),
                                request.terms(),
                                Optional.empty())
                        .editing(new PreparedEdit(edit, changed)));
        underWay = put;
        CompletableFuture<PutReceipt> putting = running.start(put);
        cancelAtEnd(putting);
        var unused = putting.whenComplete((receipt, failure) -> serial().execute(() -> {
            if (isOver()) {
                return;
            }
            underWay = null;
            if (receipt != null) {
                succeed(receipt);
            } else {
                overtaken(Failures.of(failure == null ? new IllegalStateException("no receipt") : failure));
            }
        }));
    }

    private void overtaken(CloudMwException cause) {
        if (cause.code() != ErrorCode.CONFLICT || !request.mayBeRepeated() || ++conflicts >= MAX_APPENDS) {
            fail(cause);
            return;
        }
        Runnable again = () -> serial().execute(() -> {
            if (!isOver()) {
                ask();
            }
        });
        long pause = RetryLimits.pauseNanos(conflicts, ThreadLocalRandom.current());
        if (Threads.later(context().threads().timer(), pause, again).isEmpty()) {
            fail(Failures.clientClosed());
        }
    }

    /** The failure of the put that was cancelled with this. */
    @Override
    public CloudMwException explained(CloudMwException cause) {
        PutTransfer put = underWay;
        return put == null || cause.code() != ErrorCode.CANCELLED ? cause : put.explained(cause);
    }

    @Override
    protected void stop(ErrorCode why) {
        // Pending work is cancelled with the call that waits for it.
    }

    @Override
    protected void free() {
        request.source().close();
        FileChannel file = kept;
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                // A temporary file promises nothing.
            }
        }
    }
}
