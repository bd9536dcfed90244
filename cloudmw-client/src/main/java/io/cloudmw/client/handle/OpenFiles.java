package io.cloudmw.client.handle;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.core.cache.BoundedFetchCache;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.time.PollingPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open files of a client, with what they share: connections to helpers and the buffer of leaves. Safe for any
 * thread.
 */
public final class OpenFiles implements AutoCloseable {
    /** All open files together may use this fraction of the memory of gets, in addition to it. */
    private static final int SHARE = 4;

    /** By then a store that is read through a helper has usually answered. */
    private static final Duration HELPER_TIMEOUT = Duration.ofMillis(500);

    private final ClientContext context;
    private final TransferStarter transfers;
    private final long memoryPerGetBytes;
    private final Location location;
    private final BoundedFetchCache<LeafKey> leaves;
    private final LeafLinks links;
    private final TimeoutQueue timeouts;
    private final SpinWait spinWait;
    private final Set<OpenFile> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * An empty set of open files.
     *
     * @param memoryBytes memory of all gets together
     * @param memoryPerGetBytes memory of one get
     * @param location the reader's location
     * @param busyPoll how long a thread spins while it waits for a small read
     */
    public OpenFiles(
            ClientContext context,
            TransferStarter transfers,
            long memoryBytes,
            long memoryPerGetBytes,
            Location location,
            Duration busyPoll) {
        this.context = context;
        this.transfers = transfers;
        this.memoryPerGetBytes = memoryPerGetBytes;
        this.location = location;
        this.leaves = new BoundedFetchCache<>(memoryBytes / SHARE);
        this.spinWait = new SpinWait(PollingPolicy.ofMachine(busyPoll, context.ticker()), context.ticker());
        this.links = new LeafLinks(context.links()::get, context.ticker());
        this.timeouts = new TimeoutQueue(context.threads().timer(), context.ticker(), HELPER_TIMEOUT);
    }

    /** Opens a version, or the current one if none is named. */
    public CompletableFuture<RemoteFile> open(FilePath file, Optional<VersionId> version) {
        CompletableFuture<RemoteFile> result = new CompletableFuture<>();
        var unused = map(file, version).whenComplete((map, failure) -> {
            if (failure != null) {
                result.completeExceptionally(Reasons.unwrapped(failure));
            } else if (map != null) {
                opened(map, result);
            }
        });
        return result;
    }

    private void opened(LeafLocator map, CompletableFuture<RemoteFile> result) {
        OpenFile file = new OpenFile(this, map);
        open.add(file);
        if (closed || !result.complete(file)) {
            file.close();
            result.completeExceptionally(OpenFile.closed(map.plan().version()));
        }
    }

    CompletableFuture<LeafLocator> map(FilePath file, Optional<VersionId> version) {
        CompletableFuture<ReadPlan> plan = context.coordinator().planRead(file, version, Optional.empty(), location);
        return plan.thenCompose(made -> LeafLocator.of(context.coordinator(), made));
    }

    /** The ordinary read of a range. */
    GetRequest ordinary(ReadPlan plan, GetRequest.Destination destination, ByteRange range) {
        return new GetRequest(
                plan.version().file(),
                Optional.of(plan.version().id()),
                Optional.of(range),
                Optional.empty(),
                Optional.empty(),
                destination,
                memoryPerGetBytes,
                TransferListener.NONE,
                Optional.empty(),
                Priority.INTERACTIVE,
                location);
    }

    ClientContext context() {
        return context;
    }

    TransferStarter transfers() {
        return transfers;
    }

    BoundedFetchCache<LeafKey> leaves() {
        return leaves;
    }

    LeafLinks links() {
        return links;
    }

    TimeoutQueue timeouts() {
        return timeouts;
    }

    SpinWait spinWait() {
        return spinWait;
    }

    void closed(OpenFile file) {
        open.remove(file);
    }

    /** Closes all open files. Idempotent. */
    @Override
    public void close() {
        closed = true;
        Set.copyOf(open).forEach(OpenFile::close);
        links.close();
    }
}
