package io.cloudmw.client;

import io.cloudmw.client.backup.Backups;
import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientLimits;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.edit.EditRequest;
import io.cloudmw.client.embedding.StandardError;
import io.cloudmw.client.handle.OpenFiles;
import io.cloudmw.client.handle.RemoteFile;
import io.cloudmw.client.peer.PeerNode;
import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.client.rpc.AddedStore;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.client.rpc.HelperStatus;
import io.cloudmw.client.rpc.Watch;
import io.cloudmw.client.rpc.WatchListener;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.coordinator.SnapshotCalls;
import io.cloudmw.client.rpc.link.HelperLinks;
import io.cloudmw.client.sink.PositionalTarget;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.client.warm.WarmRequest;
import io.cloudmw.client.write.FilePutSource;
import io.cloudmw.client.write.PutJournal;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.client.write.StreamPutSource;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.model.AttributeChange;
import io.cloudmw.core.model.Attributes;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.Edit;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Rename;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.model.VolumeChange;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.monitor.FleetView;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.DrainOrder;
import io.cloudmw.core.upkeep.RoundProgress;
import io.cloudmw.core.upkeep.RoundScope;
import io.cloudmw.core.upkeep.UpkeepStatus;
import io.cloudmw.core.upkeep.collect.OrderedRound;
import java.io.InputStream;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * A client of one cluster. Safe for any thread; one instance serves a whole application and any number of transfers
 * at once, within one limit of memory.
 *
 * <p>Everything is asynchronous. A future fails with a {@link CloudMwException}, whose code says what to make of it
 * ({@code get()} and {@code join()} wrap it as they do); mistakes of the caller are unchecked and thrown at once.
 * Cancelling a future, or one derived from it, stops the transfer everywhere: at the helpers too. Callbacks of derived
 * stages run on the client's threads and must not block them; use the {@code Async} forms for what does.
 *
 * <p>The client holds no cloud credentials: what it reads from buckets by itself it reads through signed URLs.
 */
public final class CloudMw implements AutoCloseable {
    private final CloudMwOptions options;
    private final ClientContext context;
    private final TransferStarter transfers;
    private final OpenFiles open;

    private CloudMw(CloudMwOptions options, ClientContext context) {
        this.options = options;
        this.context = context;
        this.transfers = new TransferStarter(context);
        this.open = new OpenFiles(
                context,
                transfers,
                options.memoryBytes(),
                Math.min(options.memoryPerGetBytes(), options.memoryBytes()),
                options.location(),
                options.busyPoll());
    }

    /** A client of this cluster. Nothing is sent yet: the first call finds out whether the coordinator is there. */
    public static CloudMw connect(CloudMwOptions options) {
        StandardError.keepQuiet();
        ClientThreads threads = new ClientThreads();
        CoordinatorClient coordinator = new CoordinatorClient(
                options.coordinator(),
                new CoordinatorTimes(options.coordinatorTimeout(), options.firstAnswerTimeout()),
                threads.events(),
                threads.timer(),
                Ticker.system(),
                options.waiting());
        ClientContext context = ClientContext.of(
                threads,
                coordinator,
                () -> HelperLinks.open(threads.events(), threads.timer(), options.busyPoll()),
                new ClientLimits(options.memoryBytes(), options.linkBytesPerSecond()),
                options.pricing(),
                new RedundancyBudget(options.redundancy()),
                Ticker.system());
        return new CloudMw(options, context);
    }

    /** A client with the default options. */
    public static CloudMw connect(String coordinator) {
        return connect(CloudMwOptions.of(coordinator));
    }

    /**
     * Makes a volume; its creation time is the coordinator's. Fails with {@code ALREADY_EXISTS} or
     * {@code NOT_ENOUGH_STORES}.
     */
    public CompletableFuture<Volume> createVolume(Volume volume) {
        return context.coordinator().createVolume(volume);
    }

    /**
     * Changes how a volume keeps its files. What that requires of the copies there are, upkeep does: further copies are made
     * where the volume is to have more, and the copies of a store that leaves go to others before the volume lets go of it.
     *
     * @return the volume as it is kept; fails with {@code VOLUME_NOT_FOUND}; {@code CONFLICT} when the volume has another
     *     generation than the change expects; {@code NOT_FOUND} for an unknown store; {@code NOT_ENOUGH_STORES} when too few
     *     stores would take its chunks; {@code INVALID_ARGUMENT}
     */
    public CompletableFuture<Volume> changeVolume(VolumeChange change) {
        return context.coordinator().changeVolume(change);
    }

    /** Fails with {@code VOLUME_NOT_FOUND}. */
    public CompletableFuture<Volume> volume(VolumeName name) {
        return context.coordinator().volume(name);
    }

    public CompletableFuture<List<Volume>> volumes() {
        return context.coordinator().volumes();
    }

    /**
     * Deletes a volume. Fails with {@code VOLUME_NOT_EMPTY}.
     *
     * @param force also when it still has files
     */
    public CompletableFuture<Void> deleteVolume(VolumeName name, boolean force) {
        return context.coordinator().deleteVolume(name, force);
    }

    /**
     * Makes a bucket known. Disks are made known by their helpers.
     *
     * @param create also make the bucket, with the coordinator's credentials, if it does not exist
     */
    public CompletableFuture<Store> addStore(Store store, boolean create) {
        return context.coordinator().addStore(store, create);
    }

    /**
     * The same.
     *
     * @param takesOver also when the bucket has the marker of another store or cluster, which then loses it
     * @param check prove first that the coordinator and one helper can use the bucket: see {@link #checkStores}. Fails with
     *     {@code STORE_DENIED}, {@code NOT_FOUND} or {@code STORE_UNAVAILABLE} when they cannot, and says why; nothing is made
     *     known then. A cluster without a live helper is checked from the coordinator alone, as the answer says
     */
    public CompletableFuture<AddedStore> addStore(Store store, boolean create, boolean takesOver, boolean check) {
        return context.coordinator().addStore(store, create, takesOver, check);
    }

    /**
     * Takes the bucket that is there in the place of the one that a store had: all copies that are not in it are lost, and made anew.
     * Done when that is noted; how far it is {@link #status} says.
     */
    public CompletableFuture<Store> replaceStore(StoreId id) {
        return replaceStore(id, false);
    }

    /**
     * The same.
     *
     * @param takesOver whether the bucket is taken from another store or cluster whose marker it has, and which then loses it;
     *     otherwise such a bucket fails with {@code STORE_MISMATCH}
     */
    public CompletableFuture<Store> replaceStore(StoreId id, boolean takesOver) {
        return context.coordinator().replaceStore(id, takesOver);
    }

    /**
     * Has the credentials of a bucket found elsewhere, from now on. Fails with {@code NOT_FOUND}, and with
     * {@code INVALID_ARGUMENT} when it is a disk.
     */
    public CompletableFuture<Store> setCredentials(StoreId store, CredentialsReference credentials) {
        return setCredentials(store, credentials, true);
    }

    /**
     * The same.
     *
     * @param check whether the coordinator and a helper prove first that they can use the store so; what fails then changes nothing
     */
    public CompletableFuture<Store> setCredentials(StoreId store, CredentialsReference credentials, boolean check) {
        return context.coordinator().access().setCredentials(store, credentials, check);
    }

    /**
     * Has the coordinator and one helper write, read, list and delete a small object in buckets; takes five seconds at most for
     * each eight.
     *
     * @param stores empty: all buckets that were not declared lost
     * @param found is told of each, in their order, what each process found, as soon as a few are checked; must not block
     * @return done when all are checked
     */
    public CompletableFuture<Void> checkStores(
            List<StoreId> stores, BiConsumer<StoreId, Map<String, ProbeReport>> found) {
        return context.coordinator().access().check(stores, found);
    }

    public CompletableFuture<List<StoreStatus>> stores() {
        return context.coordinator().stores();
    }

    /** Forgets a store; fails with {@code STORE_IN_USE} while a volume uses it. What is in it stays. */
    public CompletableFuture<Void> removeStore(StoreId id) {
        return context.coordinator().removeStore(id);
    }

    /**
     * Declares a store gone for good: nothing is read from it or written to it any more, it leaves every volume, and its copies
     * are made anew elsewhere at once. There is no way back. Fails with {@code NOT_FOUND}.
     *
     * @return the store; {@link #status} says how far its copies are, and which files have none left
     */
    public CompletableFuture<StoreStatus> loseStore(StoreId id) {
        return context.coordinator().loseStore(id);
    }

    public CompletableFuture<List<HelperStatus>> helpers() {
        return context.coordinator().helpers();
    }

    /**
     * Has all that stores have copied elsewhere, and nothing new put there, or ends that. Done when that is noted; how far it is
     * {@link #status} says.
     *
     * @return the stores it is about; fails with {@code NOT_ENOUGH_STORES} when a volume would be left with fewer stores than
     *     replicas, and with {@code NOT_FOUND}
     */
    public CompletableFuture<List<StoreId>> drain(DrainOrder order) {
        return context.coordinator().drain(order);
    }

    /**
     * Has what lies in stores and nothing names collected, as soon as no round of that is under way. Done when that is noted:
     * {@link #collection} says when the round is over and what it found.
     *
     * @param order names it for all tries, and for {@link #collection}: never used twice. Fails with {@code CANCELLED} when
     *     it was ended before
     * @param dry it is only to be counted
     * @return the number of the round
     */
    public CompletableFuture<Long> collect(UUID order, boolean dry) {
        return context.coordinator().collect(order, dry);
    }

    /**
     * How far a round of garbage collection is. Fails with {@code NOT_FOUND} when the order is not known: a coordinator that was
     * restarted, or has just taken upkeep up, knows of none.
     *
     * @param order as {@link #collect} was given it
     */
    public CompletableFuture<OrderedRound> collection(UUID order) {
        return context.coordinator().collection(order);
    }

    /**
     * Withdraws an order of a round of garbage collection; the round ends before it is done if nobody else has ordered it.
     * Nothing when it is over.
     *
     * @param order as {@link #collect} was given it
     */
    public CompletableFuture<Void> endCollection(UUID order) {
        return context.coordinator().endCollection(order);
    }

    /**
     * Has copies read and checked, and repaired, or only repaired, now. Done when that has begun; one round goes on at a time.
     *
     * @param attended whether the round ends when {@link #round} is not called for half a minute
     * @return the number of the round; fails with {@code ALREADY_EXISTS} while another one goes on, with
     *     {@code VOLUME_NOT_FOUND} and with {@code NOT_FOUND}
     */
    public CompletableFuture<Long> beginRound(RoundProgress.Kind kind, RoundScope scope, boolean attended) {
        return context.coordinator().beginRound(kind, scope, attended);
    }

    /** How far a round is. Fails with {@code NOT_FOUND} where it is not known: another coordinator has taken upkeep up. */
    public CompletableFuture<RoundProgress> round(long number) {
        return context.coordinator().round(number);
    }

    /** Ends a round before it is done; nothing when it is over. Fails as {@link #round}. */
    public CompletableFuture<RoundProgress> endRound(long number) {
        return context.coordinator().endRound(number);
    }

    /** How the cluster fares: its stores, and how far upkeep is with what is to be done about copies. */
    public CompletableFuture<UpkeepStatus> status() {
        return context.coordinator().status();
    }

    /** How fast stores and helpers are, and what helpers do, as the helpers reported it within the last seconds. */
    public CompletableFuture<FleetView> fleet() {
        return context.coordinator().viewFleet();
    }

    /**
     * Writes a file, or a new version of it. It is visible, whole, when the future is done, and until then not at all.
     * Fails with {@code CONFLICT} when somebody else changed the path meanwhile, or it is not as the options ask for; in that
     * case nothing is sent where it was so from the beginning.
     *
     * @param source a regular file; it must not be changed until the future is done
     */
    public CompletableFuture<PutReceipt> put(Path source, FilePath target, PutOptions putOptions) {
        Optional<Path> journal = putOptions
                .journals()
                .map(directory ->
                        directory.resolve(PutJournal.name(HostPorts.parse(options.coordinator()), source, target)));
        return put(new FilePutSource(source), target, putOptions, journal);
    }

    /**
     * Writes a file from a stream, to its end. Its length need not be known: chunks are sent as they come, and each is kept
     * in the temporary directory of this machine until it is stored; three at a time, or, in a volume whose files are cut
     * into n chunks, all of the stream, because there the length decides where it is cut.
     *
     * @param source read by another thread until the future is done; not closed
     */
    public CompletableFuture<PutReceipt> put(InputStream source, FilePath target, PutOptions putOptions) {
        return put(new StreamPutSource(source), target, putOptions, Optional.empty());
    }

    /**
     * Writes a file from a stream.
     *
     * @param source read by another thread until the future is done; not closed
     * @param sizeBytes what the stream gives; another length is {@code LOCAL_IO}
     */
    public CompletableFuture<PutReceipt> put(
            InputStream source, long sizeBytes, FilePath target, PutOptions putOptions) {
        return put(new StreamPutSource(source, sizeBytes), target, putOptions, Optional.empty());
    }

    private CompletableFuture<PutReceipt> put(
            PutSource source, FilePath target, PutOptions putOptions, Optional<Path> journal) {
        return transfers.put(new PutRequest(target, source, putOptions.listener(), putOptions.condition(), journal));
    }

    /**
     * Writes a file's bytes after the last one of another, which need not exist, as a new version of that. Only the new bytes,
     * and the last chunk if it is not full, are sent. When somebody else commits meanwhile it is made again on what is there
     * then, up to 15 times, unless the options name a version; then it fails with {@code CONFLICT}. One whose commit was not
     * answered says as which version it may have been made all the same: {@link #stat} tells whether to do it again.
     */
    public CompletableFuture<PutReceipt> append(Path source, FilePath target, PutOptions putOptions) {
        return edit(new FilePutSource(source), Edit.Kind.APPEND, 0, target, putOptions);
    }

    /**
     * Writes all that a stream gives after the last byte of a file, as {@link #append(Path, FilePath, PutOptions)}. It is read to
     * its end first, and kept in the temporary directory of this machine, in a file without a name.
     *
     * @param source read by another thread until the future is done; not closed
     */
    public CompletableFuture<PutReceipt> append(InputStream source, FilePath target, PutOptions putOptions) {
        return edit(new StreamPutSource(source), Edit.Kind.APPEND, 0, target, putOptions);
    }

    /**
     * Writes from a stream after the last byte of a file; not made again after a {@code CONFLICT}.
     *
     * @param source read by another thread until the future is done; not closed
     * @param sizeBytes what the stream gives; another length is {@code LOCAL_IO}
     */
    public CompletableFuture<PutReceipt> append(
            InputStream source, long sizeBytes, FilePath target, PutOptions putOptions) {
        return edit(new StreamPutSource(source, sizeBytes), Edit.Kind.APPEND, 0, target, putOptions);
    }

    /**
     * Writes a file's bytes over part of another, and beyond its end where they reach, as a new version of that. Only the chunks
     * they touch are sent. Fails with {@code CONFLICT} when somebody else commits meanwhile.
     *
     * @param offset of the first byte; beyond the end of the file it is {@code INVALID_ARGUMENT}
     */
    public CompletableFuture<PutReceipt> write(Path source, FilePath target, long offset, PutOptions putOptions) {
        return edit(new FilePutSource(source), Edit.Kind.WRITE, offset, target, putOptions);
    }

    /** Writes all that a stream gives over part of a file, once it is read to its end; see {@link #append(InputStream, FilePath, PutOptions)}. */
    public CompletableFuture<PutReceipt> write(
            InputStream source, FilePath target, long offset, PutOptions putOptions) {
        return edit(new StreamPutSource(source), Edit.Kind.WRITE, offset, target, putOptions);
    }

    /** Writes from a stream over part of a file; see {@link #write(Path, FilePath, long, PutOptions)}. */
    public CompletableFuture<PutReceipt> write(
            InputStream source, long sizeBytes, FilePath target, long offset, PutOptions putOptions) {
        return edit(new StreamPutSource(source, sizeBytes), Edit.Kind.WRITE, offset, target, putOptions);
    }

    /**
     * Keeps the first bytes of a file, as a new version. Only the last chunk is sent, if it becomes shorter. Fails with
     * {@code NOT_FOUND}, and with {@code CONFLICT} when somebody else commits meanwhile.
     *
     * @param sizeBytes more than the file has is {@code INVALID_ARGUMENT}
     */
    public CompletableFuture<PutReceipt> truncate(FilePath target, long sizeBytes, PutOptions putOptions) {
        StreamPutSource nothing = new StreamPutSource(InputStream.nullInputStream(), 0);
        return edit(nothing, Edit.Kind.TRUNCATE, sizeBytes, target, putOptions);
    }

    private CompletableFuture<PutReceipt> edit(
            PutSource source, Edit.Kind kind, long offset, FilePath target, PutOptions putOptions) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset: " + offset + " (expected: >= 0)");
        }
        return transfers.edit(new EditRequest(
                target,
                kind,
                offset,
                source,
                putOptions.listener(),
                putOptions.condition(),
                Math.min(options.memoryPerGetBytes(), options.memoryBytes())));
    }

    /**
     * Reads a file into a local one. {@code target} appears, or is replaced, when everything is there and verified;
     * when the get fails, is cancelled or the process dies, it is what it was before. What arrived before the process died is
     * found beside it, under a name that begins with {@code .cloudmw-}, by the next get of this target: it fetches only what
     * is not there as it should be.
     */
    public CompletableFuture<GetReceipt> get(FilePath source, Path target, GetOptions getOptions) {
        if (getOptions.range().isPresent()) {
            throw new IllegalArgumentException("range: not for a file (expected: read(...) into a channel)");
        }
        return transfers.get(request(
                source, GetRequest.Destination.file(target, getOptions.durable(), getOptions.resumable()), getOptions));
    }

    /**
     * Reads a file, or a range of it, in order. Every byte was verified before it is written to {@code target}; when
     * the read fails, what was written is a true beginning.
     *
     * @param target written to by another thread, blocking as it likes, until the future is done; not closed
     */
    public CompletableFuture<GetReceipt> read(FilePath source, WritableByteChannel target, GetOptions getOptions) {
        return transfers.get(request(source, GetRequest.Destination.channel(target), getOptions));
    }

    /**
     * Reads a file, or a range of it, in whatever order its bytes come: nothing waits for what comes before it. Every
     * byte was verified before it is written to {@code target}.
     */
    public CompletableFuture<GetReceipt> read(FilePath source, PositionalTarget target, GetOptions getOptions) {
        return transfers.get(request(source, GetRequest.Destination.target(target), getOptions));
    }

    /**
     * Opens the current version of a file for reads at any place, of which small ones are cheap: {@link RemoteFile}. Fails with
     * {@code NOT_FOUND}.
     */
    public CompletableFuture<RemoteFile> open(FilePath file) {
        return open.open(file, Optional.empty());
    }

    /** Opens a version of a file for reads at any place. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<RemoteFile> open(FilePath file, VersionId version) {
        return open.open(file, Optional.of(version));
    }

    /**
     * What reading a file would take and cost, mode by mode; nothing is read.
     *
     * @param mode as {@link GetOptions#mode()}: obeyed, whatever the deadline
     * @param deadline what it should keep; empty: the volume's target, if it has one
     * @param linkBytesPerSecond what the destination takes; empty: as this client's options say
     */
    public CompletableFuture<ReadEstimate> estimate(
            FilePath file, Optional<Mode> mode, Optional<Duration> deadline, OptionalLong linkBytesPerSecond) {
        deadline.ifPresent(GetOptions::requirePositive);
        linkBytesPerSecond.ifPresent(CloudMwOptions::checkLink);
        return transfers.estimate(file, mode, deadline, linkBytesPerSecond);
    }

    /**
     * What writing a file of this length would cost; nothing is written. Fails with {@code VOLUME_NOT_FOUND}.
     *
     * @param sizeBytes at least 0
     */
    public CompletableFuture<PutEstimate> estimatePut(VolumeName volume, long sizeBytes) {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("size: " + sizeBytes + " (expected: >= 0)");
        }
        return transfers.estimatePut(volume, sizeBytes);
    }

    private GetRequest request(FilePath source, GetRequest.Destination target, GetOptions getOptions) {
        return new GetRequest(
                source,
                getOptions.version(),
                getOptions.range(),
                getOptions.mode(),
                target,
                Math.min(options.memoryPerGetBytes(), options.memoryBytes()),
                getOptions.listener(),
                getOptions.deadline(),
                getOptions.priority().orElse(getOptions.range().isPresent() ? Priority.INTERACTIVE : Priority.BATCH),
                options.location());
    }

    /**
     * Whether a local file has the bytes of a version, by their digests: the file is read, and the version's manifest, and no
     * store.
     */
    public CompletableFuture<Boolean> isCopy(Path file, FileVersion version) {
        return transfers.isCopy(file, version);
    }

    /** Backups of volumes; their calls block, and end with this client. */
    public Backups backups() {
        return new Backups(context.coordinator(), transfers);
    }

    /**
     * Has switches keep a file before anybody reads it: each block is read from a store once, and passed on from switch to
     * switch. What a switch keeps already is not fetched again, so a warm-up that was interrupted is repeated. One switch that is
     * lost, or has no room, stops no other: the receipt says what became of each. Fails with {@code NOT_FOUND}, also when there
     * is no switch where it is wanted.
     */
    public CompletableFuture<WarmReceipt> warm(FilePath file, WarmOptions warmOptions) {
        return transfers.warm(new WarmRequest(
                file,
                warmOptions.version(),
                warmOptions.to(),
                warmOptions.fetch(),
                warmOptions.look(),
                warmOptions.runBytes(),
                warmOptions.listener()));
    }

    /** Fails with {@code NOT_FOUND}. */
    public CompletableFuture<FileStatus> stat(FilePath file) {
        return context.coordinator().stat(file);
    }

    /**
     * Where the chunks of a version are: with the stores that have a copy now, or ought to have one. Fails with
     * {@code NOT_FOUND}.
     *
     * @param file any path of the version's volume
     * @param segment 0..{@link FileVersion#segmentCount} - 1: chunks come in segments, in order
     */
    public CompletableFuture<List<Chunk>> locate(FilePath file, VersionId version, int segment) {
        return context.coordinator()
                .segment(file, version, segment)
                .thenApply(planned ->
                        planned.chunks().stream().map(PlannedChunk::chunk).toList());
    }

    /**
     * Changes what is noted of a file, in one step. It keeps its attributes from version to version and under any path, until
     * it is removed; a file that takes its place by a rename brings its own. Fails with {@code NOT_FOUND}, and with
     * {@code INVALID_ARGUMENT} when there would be more than {@link Attributes} may be.
     *
     * @param set new values by name; others keep theirs
     * @param remove names that have no value from now on
     * @return all it has now
     */
    public CompletableFuture<Attributes> setAttributes(FilePath file, Map<String, String> set, Set<String> remove) {
        return context.coordinator().setAttributes(new AttributeChange(file, set, remove));
    }

    /**
     * One page of a directory, by name.
     *
     * @param directory {@code "/"} or {@code "/a/b"}
     * @param pageToken as the last page gave it; empty: from the start
     * @param limit 1..1000
     */
    public CompletableFuture<Page<FileEntry>> list(VolumeName volume, String directory, String pageToken, int limit) {
        if (limit < 1 || limit > 1000) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: 1..1000)");
        }
        return context.coordinator().list(volume, directory, pageToken, limit);
    }

    /** How the names of volumes were at moments that were kept. */
    public SnapshotCalls snapshots() {
        return context.coordinator().snapshots();
    }

    /** Removes a file; gets of it that are under way go on. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<FileVersion> remove(FilePath file) {
        return context.coordinator().remove(file);
    }

    /**
     * Gives a file or a directory another path in its volume, in one step: nobody sees it under both, or neither. Gets that
     * are under way go on. A call that is repeated because its answer was lost does nothing twice. Fails with
     * {@code NOT_FOUND}; {@code ALREADY_EXISTS} when the new path is a directory, lies below a file, or is a file that is not
     * to be replaced by this; {@code INVALID_ARGUMENT} when a directory is to be moved into itself, or paths become too long.
     *
     * @param replace whether a file takes the place of another; a directory never does
     * @return what was moved, under its new name
     */
    public CompletableFuture<FileEntry> rename(FilePath from, FilePath to, boolean replace) {
        return context.coordinator().rename(new Rename(from, to, replace));
    }

    /**
     * Watches what happens to the names of a volume, from when {@link Watch#started()} is done until it is closed: each change
     * in order, once and without gaps, whichever coordinator made it and whichever is asked meanwhile. What is seen there by
     * {@link #stat} or {@link #get} after a change was told is that change or something newer. A renamed directory is one change;
     * it is also told to who watches a path below its old or its new place.
     *
     * <p>The watch goes on elsewhere when the connection breaks, and fails when no coordinator could be reached for as long as
     * the options say, with {@code VOLUME_NOT_FOUND}, with {@code INVALID_ARGUMENT}, or with {@code OVERLOADED} when this client
     * has {@value Watch#MAX_OPEN} already. It ends by itself when the volume is deleted.
     *
     * @param path {@code "/"} or {@code "/a/b"}, a file or a directory, which need not exist: what is there or below
     * @param after a position, as an earlier watch was told; empty: from now on
     * @param listener may block, which holds up nothing else: what it does not take is kept by the coordinator
     */
    public Watch watch(VolumeName volume, String path, OptionalLong after, WatchListener listener) {
        return context.coordinator()
                .watch(volume, path, after, listener, context.threads().watches());
    }

    /**
     * From now on this client keeps the chunks it reads of volumes that allow it ({@link Volume#peers}), and serves them to
     * clients that are near, until it is closed. Once for a client.
     *
     * @return what it holds and gives; closed with this client
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound, or there is no directory to keep chunks in
     */
    public PeerNode servePeers(PeerOptions peerOptions) throws CloudMwException {
        return context.reads().peers().start(options.location(), peerOptions);
    }

    /** TransferStarter under way; for tests and monitoring. */
    public int runningTransfers() {
        return transfers.running();
    }

    /** Bytes that gets could still put in flight; {@link CloudMwOptions#memoryBytes()} when none is under way. */
    public long freeMemoryBytes() {
        return context.reads().credit().free();
    }

    /** Bytes of data that helpers have sent to this client so far, verified or not, wanted or not. */
    public long receivedBytes() {
        return context.links().get().receivedBytes();
    }

    /**
     * Cancels what is under way, waits a few seconds for it to clean up, and ends every thread of this client. Idempotent.
     *
     * <p>Threads of libraries end later: those that gRPC and Netty share in a process one to two seconds after their last use
     * (Netty's {@code globalEventExecutor} is no daemon); before JDK 21 the selector thread of the JDK's HTTP client with the
     * next garbage collection, where this client read a bucket by itself.
     */
    @Override
    public void close() {
        open.close();
        transfers.close();
    }
}
