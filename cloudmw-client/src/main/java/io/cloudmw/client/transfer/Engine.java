package io.cloudmw.client.transfer;

import io.cloudmw.client.peer.PeerNode;
import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.rpc.CancellableFuture;
import io.cloudmw.client.rpc.CoordinatorClient;
import io.cloudmw.client.rpc.HelperLinks;
import io.cloudmw.client.rpc.Watch;
import io.cloudmw.client.rpc.WatchListener;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the gets and puts of one client and knows which are under way. Safe for any thread.
 *
 * <p>Helpers are linked to when the first transfer needs one.
 */
public final class Engine implements AutoCloseable {
    private static final long CLOSE_SECONDS = 5;
    private static final int PUT_SHARE = 4;

    private final ClientThreads threads;
    private final CoordinatorClient coordinator;
    private final Supplier<HelperLinks> linksMaker;
    private final CreditPool credit;
    private final RedundancyBudget governor;
    private final CreditPool putCredit;
    private final long linkBytesPerSecond;
    private final Pricing pricing;
    private final Ticker ticker;
    private final SpeedMonitor speeds;
    private final Set<Transfer> running = ConcurrentHashMap.newKeySet();
    private @Nullable HelperLinks links;
    private volatile @Nullable PeerNode peerNode;
    private volatile boolean closed;

    /**
     * Threads, coordinator and links belong to this engine and are closed with it.
     *
     * @param pricing of receipts
     * @param governor of what all gets together may spend on redundancy
     * @param memoryBytes what all gets together may have in flight; puts have a quarter as much, of their own, so that
     *     a get that feeds a put cannot starve it
     * @param linkBytesPerSecond what this machine takes; {@link Long#MAX_VALUE}: anything
     */
    public Engine(
            ClientThreads threads,
            CoordinatorClient coordinator,
            Supplier<HelperLinks> linksMaker,
            long memoryBytes,
            long linkBytesPerSecond,
            Pricing pricing,
            RedundancyBudget governor,
            Ticker ticker) {
        this.threads = threads;
        this.coordinator = coordinator;
        this.linksMaker = linksMaker;
        this.credit = new CreditPool(memoryBytes);
        this.putCredit = new CreditPool(Math.max(1, memoryBytes / PUT_SHARE));
        this.linkBytesPerSecond = linkBytesPerSecond;
        this.pricing = pricing;
        this.governor = governor;
        this.ticker = ticker;
        this.speeds =
                new SpeedMonitor(ticker, SpeedMonitor.DEFAULT_KEYS, new MonitorMetrics(new CompositeMeterRegistry()));
    }

    /** Those of all that this client does. */
    public ClientThreads threads() {
        return threads;
    }

    public CoordinatorClient coordinator() {
        return coordinator;
    }

    /** Watches a volume. */
    public Watch watch(VolumeName volume, String path, OptionalLong after, WatchListener listener) {
        return coordinator.watch(volume, path, after, listener, threads.watches());
    }

    /** What all gets together may spend on redundancy. */
    RedundancyBudget governor() {
        return governor;
    }

    CreditPool credit() {
        return credit;
    }

    CreditPool putCredit() {
        return putCredit;
    }

    /** What this client has seen of the stores it read by itself. */
    SpeedMonitor speeds() {
        return speeds;
    }

    /** What one of so many reads that are under way at once can take: they share the link. */
    private long linkShare(long reads) {
        return linkBytesPerSecond == Long.MAX_VALUE ? linkBytesPerSecond : Math.max(1, linkBytesPerSecond / reads);
    }

    /** What a read that has begun can take, as of now. */
    long linkBytesPerSecond() {
        return linkShare(Math.max(1, reads()));
    }

    private long reads() {
        return running.stream().filter(GetTransfer.class::isInstance).count();
    }

    Pricing pricing() {
        return pricing;
    }

    public Ticker ticker() {
        return ticker;
    }

    /** Bytes of data that helpers have sent so far. */
    public long receivedBytes() {
        return links().receivedBytes();
    }

    /** The helpers it is connected to. */
    public synchronized HelperLinks links() {
        if (links == null) {
            links = linksMaker.get();
        }
        return links;
    }

    /** Bytes that could still be put in flight; all of them when no get is under way. */
    public long freeCreditBytes() {
        return credit.free();
    }

    /**
     * From now on keeps what it reads of volumes that allow it, and serves that.
     *
     * @param location where this client is
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound, or there is no directory to keep chunks in
     */
    public synchronized PeerNode servePeers(Location location, PeerOptions options) throws CloudMwException {
        if (closed) {
            throw closedException();
        }
        if (peerNode != null) {
            throw new IllegalStateException("peers are served already, at " + peerNode.address());
        }
        PeerNode node = PeerNode.start(coordinator, location, threads.timer(), threads.files(), ticker, options);
        peerNode = node;
        return node;
    }

    /** Empty when it serves nobody. */
    Optional<PeerNode> peerNode() {
        return Optional.ofNullable(peerNode);
    }

    /** Transfers under way. */
    public int running() {
        return running.size();
    }

    /** Starts a get; the receipt comes when the destination has everything. */
    public CompletableFuture<GetReceipt> get(GetRequest request) {
        return start(new GetTransfer(this, request));
    }

    /** What a put would cost. */
    public CompletableFuture<PutEstimate> estimatePut(VolumeName volume, long sizeBytes) {
        return coordinator
                .volume(volume)
                .thenCombine(coordinator.stores(), (into, stores) -> Estimates.ofPut(into, stores, sizeBytes, pricing));
    }

    /**
     * What a get would take.
     *
     * @param link what its destination takes in a second; empty: what this machine has for one read more
     */
    public CompletableFuture<ReadEstimate> estimate(
            FilePath file, Optional<Mode> mode, Optional<Duration> deadline, OptionalLong link) {
        long bytesPerSecond = link.orElseGet(() -> linkShare(reads() + 1));
        return coordinator
                .planRead(file, Optional.empty(), mode, Location.NONE)
                .thenApplyAsync(plan -> Estimates.of(plan, mode, deadline, bytesPerSecond, this), threads.events());
    }

    /** Whether a file of this machine has the bytes of a version. */
    public CompletableFuture<Boolean> isCopy(Path file, FileVersion version) {
        return ContentComparison.of(this, file, version);
    }

    /** Starts a put; the receipt comes after the commit. */
    public CompletableFuture<PutReceipt> put(PutRequest request) {
        return start(new PutTransfer(this, request));
    }

    /** Starts a warm-up; the receipt comes when all switches that are left are done. */
    public CompletableFuture<WarmReceipt> warm(WarmRequest request) {
        return start(new WarmTransfer(this, request));
    }

    /** Starts a change of part of a file; the receipt comes after the commit. */
    public CompletableFuture<PutReceipt> edit(EditRequest request) {
        return start(new EditTransfer(this, request));
    }

    <T> CancellableFuture<T> start(ConfinedTransfer<T> transfer) {
        running.add(transfer);
        if (closed) {
            transfer.cancel();
        } else {
            transfer.start();
        }
        return transfer.result();
    }

    /** It has cleaned up. */
    void settled(Transfer transfer) {
        running.remove(transfer);
    }

    /** Cancels what is under way and waits, a few seconds at most, until it has cleaned up. Idempotent. */
    @Override
    public void close() {
        closed = true;
        running.forEach(Transfer::cancel);
        try {
            CompletableFuture.allOf(running.stream().map(Transfer::settled).toArray(CompletableFuture[]::new))
                    .get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // A destination that blocks for good: its thread is a daemon.
        }
        peerNode().ifPresent(PeerNode::close);
        coordinator.close();
        synchronized (this) {
            if (links != null) {
                links.close();
            }
        }
        threads.close();
    }

    /** What is asked of a client that is closed fails with. */
    public static CloudMwException closedException() {
        return new CloudMwException(ErrorCode.CANCELLED, "the client was closed");
    }
}
