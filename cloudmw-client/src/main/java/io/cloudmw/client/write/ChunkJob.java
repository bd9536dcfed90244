package io.cloudmw.client.write;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.thread.SerialExecutor;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The work of storing one chunk, through as many tries as it takes. Confined to the transfer. */
final class ChunkJob {
    private static final int MAX_REFUSING = 1000;

    /** A try: the placement to which the chunk is sent, and its progress. */
    private static final class Try {
        final PlacedChunk placed;
        final HelperAddress helper;
        final TransferToken token;
        long sentBytes;
        /** Obstacles to the chunk that its helper has named. */
        List<WriteObstacle> troubles = List.of();

        @Nullable
        CompletableFuture<?> question;

        Try(PlacedChunk placed, HelperAddress helper, TransferToken token) {
            this.placed = placed;
            this.helper = helper;
            this.token = token;
        }
    }

    private final long index;
    private final ByteRange range;
    private final PutSource.Part part;
    /** Stores that refused this chunk for good. */
    private final Set<StoreId> refusing = new HashSet<>();

    private ChunkUpload.Read read;
    private @Nullable Try current;
    private int refusals;
    private int failures;
    private Optional<CloudMwException> refusal = Optional.empty();
    private Optional<CloudMwException> setback = Optional.empty();

    /** The upload of the current try, while it lasts. */
    @Nullable
    ChunkUpload upload;

    /** The wait for memory, while it lasts. */
    @Nullable
    CompletableFuture<Void> admission;

    /** The wait for the next try, while it lasts. */
    @Nullable
    Future<?> pause;

    ChunkJob(long index, ByteRange range, PutSource.Part part, int leaves) {
        this.index = index;
        this.range = range;
        this.part = part;
        read = ChunkUpload.Read.nothing(leaves);
    }

    long index() {
        return index;
    }

    ByteRange range() {
        return range;
    }

    PutSource.Part part() {
        return part;
    }

    /** Checksums of the leaves that earlier tries have read. */
    ChunkUpload.Read read() {
        return read;
    }

    void read(ChunkUpload.Read checksums) {
        read = checksums;
    }

    /** A try begins. */
    void begin(PlacedChunk placed, HelperAddress helper, TransferToken token) {
        current = new Try(placed, helper, token);
    }

    /** So many bytes more were sent in the current try. */
    void sent(int bytes) {
        if (current != null) {
            current.sentBytes += bytes;
        }
    }

    /** The current try failed. */
    void fail(CloudMwException cause) {
        current = null;
        setback = Optional.of(cause);
    }

    /** The chunk could not be placed. */
    void notPlaced(CloudMwException cause) {
        setback = Optional.of(cause);
    }

    /** Counts a refusal for now; returns the number so far. */
    int addRefusal() {
        return ++refusals;
    }

    /** Counts any other failure; returns the number so far. */
    int addFailure() {
        return ++failures;
    }

    int tries() {
        return refusals + failures;
    }

    /** The last refusal for good; empty: there was none. */
    Optional<CloudMwException> refusal() {
        return refusal;
    }

    /**
     * Records the stores that refused this chunk for good.
     *
     * @return those stores; empty when none of them is new, so that a placement without them would not help
     */
    List<StoreId> refuse(CloudMwException cause) {
        List<StoreId> stores = cause.refusing().stream().map(StoreId::new).toList();
        if (stores.isEmpty() || refusing.size() >= MAX_REFUSING) {
            return List.of();
        }
        refusal = Optional.of(cause);
        return refusing.addAll(stores) ? stores : List.of();
    }

    /**
     * The reason why this chunk is not stored yet.
     *
     * @param obstacles is asked where stores are waited for
     */
    PutDelay.Reason reason(StoreObstacles obstacles, ClientContext context, SerialExecutor serial) {
        Try now = current;
        if (now == null) {
            return setback.map(ChunkJob::reason)
                    .orElseGet(() -> PutDelay.Reason.of(
                            PutDelay.Kind.MEMORY, "other puts of this client have the memory for bytes on their way"));
        }
        boolean allSent = now.sentBytes == range.length();
        obstacles.ask();
        if (allSent) {
            askHelper(now, context, serial);
        }
        HelperId helper = now.placed.helper();
        String text = allSent
                ? "helper " + helper + " has not stored what it was sent yet, in "
                        + obstacles.text(now.placed.writable(), now.troubles)
                : "helper " + helper + (now.sentBytes == 0 ? " takes nothing yet" : " takes no more for now");
        return new PutDelay.Reason(
                allSent ? PutDelay.Kind.STORES : PutDelay.Kind.HELPER,
                now.troubles.stream()
                        .map(WriteObstacle::code)
                        .findFirst()
                        .or(() -> setback.map(CloudMwException::code)),
                Optional.of(helper),
                now.placed.writable(),
                text
                        + setback.map(cause -> " (before: " + cause.getMessage() + ")")
                                .orElse(""));
    }

    /** Asks the helper for the obstacles to a chunk that was sent, one call at a time. An older helper knows none. */
    private static void askHelper(Try now, ClientContext context, SerialExecutor serial) {
        if (now.question != null && !now.question.isDone()) {
            return;
        }
        CompletableFuture<List<WriteObstacle>> question =
                context.links().get().troubles(now.helper, now.placed.chunk(), now.token);
        now.question = question;
        var unused = question.whenComplete((answer, failure) -> serial.execute(() -> {
            if (answer != null) {
                now.troubles = answer;
            }
        }));
    }

    /** The reason of a retry after a failure. */
    static PutDelay.Reason reason(CloudMwException cause) {
        return new PutDelay.Reason(
                PutDelay.Kind.RETRY,
                Optional.of(cause.code()),
                Optional.empty(),
                List.of(),
                String.valueOf(cause.getMessage()));
    }
}
