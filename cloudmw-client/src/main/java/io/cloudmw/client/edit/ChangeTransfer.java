package io.cloudmw.client.edit;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.context.RunningTransfers;
import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.manifest.OriginChunks;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.client.write.ChangedChunks;
import io.cloudmw.client.write.PreparedEdit;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.PutTransfer;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A change of several parts of a file, made as one new version that shares the unchanged chunks. The coordinator is
 * asked for one edit that leads to the new size; which chunks are written follows from the changed ranges, and from the
 * parts that are other versions' bytes. Its state is confined to its serial executor.
 */
public final class ChangeTransfer extends ConfinedTransfer<PutReceipt> {
    private final RunningTransfers running;
    private final FileChange change;
    private final TransferListener listener;
    private final PutTerms terms;
    private @Nullable PutTransfer underWay;

    /** @param terms those of the commit, whose condition is the change's base */
    public ChangeTransfer(
            ClientContext context,
            RunningTransfers running,
            FileChange change,
            TransferListener listener,
            PutTerms terms) {
        super(context, change.base().file().toString());
        this.running = running;
        this.change = change;
        this.listener = listener;
        this.terms = terms.with(PutCondition.version(change.base().id()));
    }

    private FilePath file() {
        return change.base().file();
    }

    @Override
    protected void begin() {
        long before = change.base().sizeBytes();
        Edit edit = change.sizeBytes() > before
                ? Edit.write(before, change.sizeBytes() - before)
                : Edit.truncate(change.sizeBytes());
        then(context().coordinator().beginEdit(file(), edit).exceptionallyCompose(this::explainedRefusal), this::begun);
    }

    /** A change that does not fit the file is a conflict when the file is another version by now. */
    private CompletableFuture<EditParameters> explainedRefusal(Throwable refusal) {
        CloudMwException cause = Failures.of(refusal);
        if (cause.code() != ErrorCode.INVALID_ARGUMENT) {
            return CompletableFuture.failedFuture(cause);
        }
        Optional<VersionId> base = Optional.of(change.base().id());
        return context().coordinator().stat(file()).thenCompose(status -> {
            Optional<VersionId> current = Optional.of(status.version().id());
            return CompletableFuture.failedFuture(
                    current.equals(base) ? cause : Failures.otherVersion(file(), base, current));
        });
    }

    private void begun(EditParameters edit) {
        VersionId base = change.base().id();
        Optional<VersionId> current = edit.base().map(FileVersion::id);
        if (!current.equals(Optional.of(base))) {
            fail(Failures.otherVersion(file(), Optional.of(base), current));
            return;
        }
        SharedParts shared;
        try {
            ChunkCutter cutter = new ChunkCutter(edit.sizeBytes(), edit.put().chunkSizeBytes());
            shared = SharedParts.of(edit, change, cutter);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            fail(Failures.violation("begin edit: " + e.getMessage()));
            return;
        }
        if (shared.mayRepeat()) {
            findRepeated(shared, shared.first().origins(context().coordinator()), 0);
        } else {
            put(shared);
        }
    }

    /** Reads the manifests of the base and the parts from this segment of the new version on. */
    private void findRepeated(SharedParts shared, OriginChunks origins, int segment) {
        if (segment == origins.segmentCount()) {
            put(shared);
            return;
        }
        ChangedChunks changed = shared.first().changed();
        then(origins.of(segment, index -> !changed.contains(index)), chunks -> {
            if (shared.add(chunks)) {
                findRepeated(shared, origins, segment + 1);
            } else {
                put(shared);
            }
        });
    }

    /**
     * Puts the change. A coordinator of an earlier release refuses parts; the content then provides their bytes, once.
     */
    private void put(SharedParts shared) {
        PreparedEdit edit = shared.prepared();
        CompletableFuture<PutReceipt> putting = start(edit);
        cancelAtEnd(putting);
        var unused = putting.whenComplete((receipt, failure) -> serial().execute(() -> {
            if (isOver()) {
                return;
            }
            if (receipt != null) {
                succeed(receipt);
            } else if (!edit.parts().isEmpty() && Failures.of(failure).code() == ErrorCode.INVALID_ARGUMENT) {
                then(start(shared.withoutParts()), this::succeed);
            } else {
                fail(Failures.of(failure));
            }
        }));
    }

    private CompletableFuture<PutReceipt> start(PreparedEdit edit) {
        PutTransfer put = new PutTransfer(
                context(),
                new PutRequest(file(), new ChangedSource(change), listener, terms, Optional.empty()).editing(edit));
        underWay = put;
        return running.start(put);
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
        // The content belongs to the caller.
    }
}
