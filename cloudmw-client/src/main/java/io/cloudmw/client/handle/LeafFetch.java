package io.cloudmw.client.handle;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.fleet.HelperAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The fetch of one leaf by one request to a helper. The ordinary read takes over when there is none to ask or it fails,
 * and starts beside it when the helper is slow. The first verified result cancels the other.
 */
final class LeafFetch {
    private final OpenFiles files;
    private final OpenFile file;
    private final PlannedLeaf place;
    private final CompletableFuture<byte[]> result;
    private final AtomicBoolean ordinary = new AtomicBoolean();

    LeafFetch(OpenFiles files, OpenFile file, PlannedLeaf place, CompletableFuture<byte[]> result) {
        this.files = files;
        this.file = file;
        this.place = place;
        this.result = result;
    }

    void begin() {
        Optional<HelperAddress> asked = place.map()
                .helpers(place)
                .filter(helper -> !files.links().isAvoided(helper))
                .findFirst();
        try {
            if (asked.isPresent()) {
                ask(asked.get());
            } else {
                readOrdinarily();
            }
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(CloudMwException.ofDefect(place.toString(), e));
        }
    }

    private void ask(HelperAddress helper) {
        LeafRequest read = new LeafRequest(place, files.context().threads().workers());
        CompletableFuture<byte[]> answer = read.ask(files.links().to(helper), place.request(helper));
        TimeoutQueue.Wait wait = files.timeouts().begin(this::readOrdinarily);
        var unused = answer.whenComplete((bytes, failure) -> {
            wait.over();
            if (bytes != null) {
                result.complete(bytes);
            } else if (failure != null && !result.isDone()) {
                failed(helper, failure);
            }
        });
        var unusedEnd = result.whenComplete((bytes, failure) -> read.cancel());
    }

    private void failed(HelperAddress helper, Throwable failure) {
        if (!(Reasons.unwrapped(failure) instanceof CloudMwException known) || isOfTheHelper(known)) {
            files.links().avoid(helper);
        }
        file.replan();
        readOrdinarily();
    }

    /** Returns whether the failure concerns the helper, rather than the store or this one read. */
    private static boolean isOfTheHelper(CloudMwException cause) {
        return switch (cause.code()) {
            case REPLICA_CORRUPT, REPLICA_MISSING, STORE_UNAVAILABLE, STORE_DENIED, OVERLOADED -> false;
            default -> true;
        };
    }

    /** Starts the ordinary read, once. */
    private void readOrdinarily() {
        if (result.isDone() || !ordinary.compareAndSet(false, true)) {
            return;
        }
        ByteRange range = place.inFile();
        byte[] bytes = new byte[Math.toIntExact(range.length())];
        GetRequest.Destination into = GetRequest.Destination.target(
                (offset, piece) -> piece.get(bytes, Math.toIntExact(offset - range.offset()), piece.remaining()));
        try {
            CompletableFuture<GetReceipt> get =
                    files.transfers().get(files.ordinary(place.map().plan(), into, range));
            var unused = get.whenComplete((receipt, failure) -> {
                if (failure == null) {
                    result.complete(bytes);
                } else {
                    result.completeExceptionally(failure);
                }
            });
            var unusedEnd = result.whenComplete((received, failure) -> get.cancel(true));
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(OpenFile.closed(place.map().plan().version()));
        }
    }
}
