package io.cloudmw.client;

import io.cloudmw.client.backup.run.BackupRunner;
import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientLimits;
import io.cloudmw.client.context.ClientMeters;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.embedding.StandardError;
import io.cloudmw.client.handle.OpenFiles;
import io.cloudmw.client.lock.lease.FileLocks;
import io.cloudmw.client.peer.PeerNode;
import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.link.HelperLinks;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.metrics.ClientMetrics;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.trace.Traces;
import io.opentelemetry.api.OpenTelemetry;

/**
 * A client of one cluster. Its operations are grouped by subject: {@link #files()}, {@link #volumes()},
 * {@link #snapshots()}, {@link #stores()}, {@link #cluster()} and {@link #backups()}. Safe for any thread. An instance
 * serves a whole application and any number of transfers at once, within one memory limit.
 *
 * <p>All calls except those of {@link #backups()} are asynchronous. A future fails with a {@link CloudMwException}, whose
 * code says what to do ({@code get()} and {@code join()} wrap it as they do). Mistakes of the caller are unchecked
 * exceptions, thrown at once. Cancelling a future, or a stage derived from it, stops the transfer everywhere, at the
 * helpers too. Callbacks of derived stages run on the client's threads and must not block them; a callback that blocks
 * belongs into an {@code Async} stage with an executor of the application.
 *
 * <p>The client holds no cloud credentials: it reads buckets through signed URLs when it reads them without a helper.
 */
public final class CloudMw implements AutoCloseable {
    private final CloudMwOptions options;
    private final ClientContext context;
    private final TransferStarter transfers;
    private final OpenFiles open;
    private final FileLocks locks;
    private final FileOperations files;
    private final ClientMeters meters;

    private CloudMw(CloudMwOptions options, ClientContext context, ClientMeters meters) {
        this.options = options;
        this.context = context;
        this.meters = meters;
        this.transfers = new TransferStarter(context, new ClientMetrics(meters.registry()));
        this.open = new OpenFiles(
                context,
                transfers,
                options.memoryBytes(),
                Math.min(options.memoryPerGetBytes(), options.memoryBytes()),
                options.location(),
                options.busyPoll());
        this.locks = new FileLocks(
                context.coordinator().locks(), context.threads().timer(), context.ticker(), processName());
        this.files = new FileOperations(options, context, transfers, open, locks);
    }

    /** This process in the messages of others. */
    private static String processName() {
        return System.getProperty("user.name", "unknown") + ", process "
                + ProcessHandle.current().pid();
    }

    /**
     * Makes a client of a cluster. Nothing is sent yet; the first call finds out whether the coordinator is there.
     *
     * @return the client, which the caller closes
     */
    public static CloudMw connect(CloudMwOptions options) {
        StandardError.keepQuiet();
        ClientThreads threads = new ClientThreads();
        ClientMeters meters = new ClientMeters(options.meters());
        ClientCertificates certificates = ClientIdentities.of(options, threads.workers());
        CoordinatorClient coordinator = new CoordinatorClient(
                options.coordinator(),
                certificates,
                new CoordinatorTimes(
                        options.coordinatorTimeout(), options.firstAnswerTimeout(), options.refusedTimeout()),
                threads.events(),
                threads.timer(),
                Ticker.system(),
                options.waiting());
        ClientContext context = ClientContext.of(
                threads,
                coordinator,
                () -> HelperLinks.open(
                        certificates, threads.events(), threads.timer(), options.busyPoll(), meters.registry()),
                new ClientLimits(options.memoryBytes(), options.linkBytesPerSecond(), options.path()),
                options.pricing(),
                new RedundancyBudget(options.redundancy()),
                Ticker.system(),
                Traces.tracer(options.telemetry().orElse(OpenTelemetry.noop())));
        return new CloudMw(options, context, meters);
    }

    /**
     * Makes a client with the default options.
     *
     * @param coordinator {@code host:port}, or several with commas
     * @return the client, which the caller closes
     */
    public static CloudMw connect(String coordinator) {
        return connect(CloudMwOptions.of(coordinator));
    }

    /** The operations on files: write, read, change, list, watch. */
    public FileOperations files() {
        return files;
    }

    /** The operations on volumes. */
    public VolumeOperations volumes() {
        return new VolumeOperations(context.coordinator());
    }

    /** The operations on snapshots of volumes. */
    public SnapshotOperations snapshots() {
        return new SnapshotOperations(context.coordinator().snapshots());
    }

    /** The operations on subjects: who may do what, and by which tokens. */
    public SubjectOperations subjects() {
        return new SubjectOperations(context.coordinator().grants());
    }

    /** The operations on stores: the buckets and disks that keep replicas. */
    public StoreOperations stores() {
        return new StoreOperations(context.coordinator());
    }

    /** The operations on the cluster as a whole: its state, its speeds, and rounds of upkeep. */
    public ClusterOperations cluster() {
        return new ClusterOperations(context.coordinator());
    }

    /** The operations on backups of volumes. Their calls block. */
    public BackupOperations backups() {
        return new BackupOperations(new BackupRunner(context.coordinator(), transfers));
    }

    /**
     * Makes this client a peer: it keeps the chunks that it reads of volumes that allow it ({@link Volume#peers}), and
     * serves them to clients nearby. Once for a client.
     *
     * @return the peer, closed with this client or before
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound, or the directory cannot be used
     * @throws IllegalStateException when this client is a peer already
     */
    public PeerNode servePeers(PeerOptions peerOptions) throws CloudMwException {
        return context.reads().peers().start(options.location(), peerOptions);
    }

    /** The addresses of the coordinators: {@code host:port}, or several with commas. */
    public String coordinators() {
        return options.coordinator();
    }

    /** The number of transfers under way. */
    public int runningTransfers() {
        return transfers.running();
    }

    /** The bytes that gets may still put in flight; {@link CloudMwOptions#memoryBytes()} when none is under way. */
    public long freeMemoryBytes() {
        return context.reads().credit().free();
    }

    /** The bytes of data that helpers have sent to this client so far, verified or not, used or not. */
    public long receivedBytes() {
        return context.links().get().receivedBytes();
    }

    /**
     * Cancels the transfers under way, waits a few seconds for their clean-up, ends every thread of this client, and
     * removes its meters from the application's registry, which stays open. Blocks. Idempotent.
     *
     * <p>Threads of libraries end later. Threads that gRPC and Netty share in a process end one to two seconds after their
     * last use; Netty's {@code globalEventExecutor} is no daemon. Before JDK 21 the selector thread of the JDK's HTTP client
     * ends with the next garbage collection, when this client has read a bucket without helpers.
     */
    @Override
    public void close() {
        open.close();
        locks.close();
        transfers.close();
        meters.close();
    }
}
