package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.BegunEdit;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Edit;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.store.NamelessFile;
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
 * A change of part of a file, as a new version: asks how, reads from the base what stays of the chunks that change, into a
 * nameless temporary file, and puts those chunks; the others are shared. An append that somebody else's commit overtook is made
 * again, on what is there then, a bounded number of times. Its state is confined to its serial executor.
 */
final class EditTransfer extends ConfinedTransfer<PutReceipt> {
    /** The first one is not a repetition. */
    static final int MAX_APPENDS = 16;

    private final EditRequest request;
    private final Executor source;
    private long length;
    private int conflicts;
    private volatile @Nullable FileChannel kept;
    private @Nullable PutTransfer underWay;

    EditTransfer(Engine engine, EditRequest request) {
        super(engine, request.file().toString());
        this.request = request;
        // What is opened is opened before it is freed, whenever this is cancelled: that happens in order. A stream is
        // open.
        source = request.source().isStream() ? engine.threads().sources() : files();
    }

    @Override
    void begin() {
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
            FileChannel opened = NamelessFile.open();
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
                engine().coordinator().beginEdit(request.file(), new Edit(request.kind(), request.offset(), length)),
                this::begun);
    }

    private void begun(BegunEdit edit) {
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
    private CompletableFuture<Void> keep(BegunEdit edit, ByteRange range, long position) {
        FileChannel into = kept;
        if (range.isEmpty() || edit.base().isEmpty() || into == null) {
            return CompletableFuture.completedFuture(null);
        }
        FileVersion base = edit.base().get();
        PositionalTarget target = (offset, bytes) -> write(into, position + offset - range.offset(), bytes);
        return engine().get(new GetRequest(
                        request.file(),
                        Optional.of(base.id()),
                        Optional.of(range),
                        Optional.empty(),
                        GetRequest.Destination.target(target),
                        request.memoryBytes(),
                        TransferListener.NONE,
                        Optional.empty(),
                        Priority.BATCH,
                        Location.NONE))
                .thenAccept(receipt -> {});
    }

    private static void write(FileChannel into, long position, ByteBuffer bytes) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += into.write(bytes, at);
        }
    }

    private void put(BegunEdit edit, ChangedChunks changed, ByteRange before) {
        FileChannel from = kept;
        if (from == null) {
            throw new IllegalStateException("not open");
        }
        PutTransfer put = new PutTransfer(
                engine(),
                new PutRequest(
                                request.file(),
                                new EditedSource(request.source(), from, edit.sizeBytes(), before, edit.written()),
                                request.listener(),
                                request.condition(),
                                Optional.empty())
                        .editing(new PreparedEdit(edit, changed)));
        underWay = put;
        CompletableFuture<PutReceipt> putting = engine().start(put);
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
        long pause = AskAgain.pauseNanos(conflicts, ThreadLocalRandom.current());
        if (Threads.later(engine().threads().timer(), pause, again).isEmpty()) {
            fail(Engine.closedException());
        }
    }

    /** What the put says that was cancelled with this. */
    @Override
    CloudMwException explained(CloudMwException cause) {
        PutTransfer put = underWay;
        return put == null || cause.code() != ErrorCode.CANCELLED ? cause : put.explained(cause);
    }

    @Override
    void stop(ErrorCode why) {
        // What is under way is cancelled with the call that waits for it.
    }

    @Override
    void free() {
        request.source().close();
        FileChannel file = kept;
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                // Nothing was promised about a temporary file.
            }
        }
    }
}
