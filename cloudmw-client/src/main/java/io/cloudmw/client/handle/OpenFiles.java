package io.cloudmw.client.handle;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.time.Pace;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The open files of a client, and what they share: connections, and the leaves on their way and read last. Safe for any thread. */
public final class OpenFiles implements AutoCloseable {
    /** Of what gets may have in flight, open files together may have this much besides. */
    private static final int SHARE = 4;

    /** A store that is asked through a switch has answered by then, most of the time. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final ClientContext context;
    private final TransferStarter transfers;
    private final long memoryPerGetBytes;
    private final Location location;
    private final LeafBuffer window;
    private final SwitchLinks switches;
    private final TimeoutQueue patience;
    private final SpinWait waiting;
    private final Set<RemoteFile> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * None is open yet.
     *
     * @param memoryBytes what all gets together may have in flight
     * @param memoryPerGetBytes what one may
     * @param location where the reader is
     * @param busyPoll how long who waits for a small read stays awake
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
        this.window = new LeafBuffer(memoryBytes / SHARE);
        this.waiting = new SpinWait(Pace.ofMachine(busyPoll, context.ticker()), context.ticker());
        this.switches = new SwitchLinks(context.links()::get, context.ticker());
        this.patience = new TimeoutQueue(context.threads().timer(), context.ticker(), PATIENCE);
    }

    /** Opens a version, or, if none is named, the current one. */
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
        RemoteFile file = new RemoteFile(this, map);
        open.add(file);
        if (closed || !result.complete(file)) {
            file.close();
            result.completeExceptionally(RemoteFile.closed(map.plan().version()));
        }
    }

    CompletableFuture<LeafLocator> map(FilePath file, Optional<VersionId> version) {
        CompletableFuture<ReadPlan> plan = context.coordinator().planRead(file, version, Optional.empty(), location);
        return plan.thenCompose(made -> LeafLocator.of(context.coordinator(), made));
    }

    /** How a range is read the ordinary way. */
    GetRequest ordinary(ReadPlan plan, GetRequest.Destination destination, ByteRange range) {
        return new GetRequest(
                plan.version().file(),
                Optional.of(plan.version().id()),
                Optional.of(range),
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

    LeafBuffer window() {
        return window;
    }

    SwitchLinks switches() {
        return switches;
    }

    TimeoutQueue patience() {
        return patience;
    }

    SpinWait waiting() {
        return waiting;
    }

    void closed(RemoteFile file) {
        open.remove(file);
    }

    /** Closes all that are open. Idempotent. */
    @Override
    public void close() {
        closed = true;
        Set.copyOf(open).forEach(RemoteFile::close);
        switches.close();
    }
}
