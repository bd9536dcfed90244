package io.cloudmw.client;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.edit.EditRequest;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.client.handle.OpenFiles;
import io.cloudmw.client.lock.LockOptions;
import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.client.lock.lease.FileLocks;
import io.cloudmw.client.pack.SmallGets;
import io.cloudmw.client.pack.SmallPuts;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.client.rpc.coordinator.SmallFileCalls;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.client.warm.WarmRequest;
import io.cloudmw.client.write.FilePutSource;
import io.cloudmw.client.write.PutJournal;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.client.write.PutTransfer;
import io.cloudmw.client.write.StreamPutSource;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.placement.PlannedChunk;
import java.io.InputStream;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The operations on files: write, read, change, list, watch. Safe for any thread.
 *
 * <p>{@link CloudMw} says which threads run callbacks, how a future fails and what cancelling it does. A method that
 * names error codes lists those that are its own. Every call can also fail with {@code COORDINATOR_UNAVAILABLE},
 * {@code OVERLOADED} or {@code CANCELLED}.
 */
public final class FileOperations {
    /** The part of the memory of gets that the kept chunks of streams may have. */
    private static final int STREAM_SHARE = 4;

    private final CloudMwOptions options;
    private final ClientContext context;
    private final TransferStarter transfers;
    private final OpenFiles open;
    private final ByteBudget streamMemory;
    private final FileLocks locks;
    private final SmallPuts small;
    private final SmallGets smallGets;

    FileOperations(
            CloudMwOptions options, ClientContext context, TransferStarter transfers, OpenFiles open, FileLocks locks) {
        this.options = options;
        this.context = context;
        this.transfers = transfers;
        this.open = open;
        this.streamMemory = new ByteBudget(options.memoryBytes() / STREAM_SHARE);
        this.locks = locks;
        this.smallGets = new SmallGets(context);
        this.small = new SmallPuts(
                context,
                transfers::batch,
                this::putAlone,
                new SmallPuts.Rules(
                        options.packs().limitBytes(),
                        SmallPuts.MAX_SINGLE_BYTES,
                        options.packs().delay(),
                        options.coordinatorTimeout(),
                        SmallPuts.MAX_WAITING));
    }

    /**
     * Writes a local file as a new file, or as a new version of a file. The version is visible, whole, when the future
     * is done, and not before.
     *
     * <p>A file of up to 8 MiB that is one chunk is stored by one upload and one call of the coordinator, once the client
     * knows the volume. Small ones that are put close together share stored objects and calls, as {@link
     * CloudMwOptions#packs()} says; with {@link PackOptions#NONE} neither holds, nor with a listener or locks. Without a
     * condition such a put replaces whatever is at the path when it is committed. While 100,000 of them wait, a further
     * one fails with {@code OVERLOADED}.
     *
     * @param source a regular file; it must not change until the future is done
     * @return the receipt; fails with {@code CONFLICT} when another client changed the path meanwhile, or when a
     *     condition of the options does not hold (nothing of a large file is sent when it does not hold at the start); with
     *     {@code LOCAL_IO} when {@code source} cannot be read or changes; with {@code VOLUME_NOT_FOUND}; with
     *     {@code NOT_ENOUGH_STORES}
     */
    public CompletableFuture<PutReceipt> put(Path source, FilePath target, PutOptions putOptions) {
        Optional<Path> journal = putOptions
                .journals()
                .map(directory ->
                        directory.resolve(PutJournal.name(HostPorts.parse(options.coordinator()), source, target)));
        Supplier<CompletableFuture<PutReceipt>> alone =
                () -> put(new FilePutSource(source), target, putOptions, journal);
        // A file for which a journal is kept is not sent together with others.
        long most = journal.isPresent() ? PutTransfer.WORTH_A_JOURNAL_BYTES - 1 : Long.MAX_VALUE;
        return mayShare(putOptions) ? small.put(source, target, putOptions.terms(), most, alone) : alone.get();
    }

    /** Returns whether a put may be sent together with others: a listener and locks are for puts of their own. */
    private boolean mayShare(PutOptions putOptions) {
        return options.packs().limitBytes() > 0
                && putOptions.listener() == TransferListener.NONE
                && putOptions.locks().isEmpty();
    }

    /**
     * Writes a stream of unknown length as a file. Each chunk is kept until it is stored: three chunks at a time, or the
     * whole stream in a volume that cuts its files into n chunks. They are kept in memory, a quarter of {@link
     * CloudMwOptions#memoryBytes()} for all streams together, and beyond that in the temporary directory of this machine.
     *
     * @param source read by another thread until the future is done; not closed
     * @return the receipt; fails as {@link #put(Path, FilePath, PutOptions)} does
     */
    public CompletableFuture<PutReceipt> put(InputStream source, FilePath target, PutOptions putOptions) {
        return put(new StreamPutSource(source, streamMemory), target, putOptions, Optional.empty());
    }

    /**
     * Writes a stream of known length as a file. A stream that is short enough for a pack ({@link
     * CloudMwOptions#packs()}) is read to its end first, and then put as a small file is; a longer one is sent while it is
     * read.
     *
     * @param source read by another thread until the future is done; not closed
     * @param sizeBytes length of the stream; a stream of another length fails with {@code LOCAL_IO}
     * @return the receipt; fails as {@link #put(Path, FilePath, PutOptions)} does
     */
    public CompletableFuture<PutReceipt> put(
            InputStream source, long sizeBytes, FilePath target, PutOptions putOptions) {
        StreamPutSource stream = new StreamPutSource(source, sizeBytes, streamMemory);
        return mayShare(putOptions) && sizeBytes <= options.packs().limitBytes()
                ? small.put(
                        stream,
                        sizeBytes,
                        target,
                        putOptions.terms(),
                        kept -> put(kept, target, putOptions, Optional.empty()))
                : put(stream, target, putOptions, Optional.empty());
    }

    /**
     * Writes many local files. Small files share stored objects and are committed together, which takes a fraction of the
     * time; {@link CloudMwOptions#packs()} has the rules. Each file succeeds or fails for itself.
     *
     * @param files any number, of any size; some thousands are begun at once, the others as those are done. A file without
     *     a condition replaces whatever is at its path when it is committed
     * @return a future for each file, in their order; each fails as that of {@link #put(Path, FilePath, PutOptions)}
     *     does
     */
    public List<CompletableFuture<PutReceipt>> putAll(List<FilePut> files) {
        return byVolume(files, file -> file.target().volume(), small::put);
    }

    /**
     * Calls something for the files of each volume.
     *
     * @return the answers, in the order of the files
     */
    private static <F, A> List<A> byVolume(
            List<F> files, Function<F, VolumeName> volumeOf, BiFunction<VolumeName, List<F>, List<A>> call) {
        Map<VolumeName, List<F>> filesOf = new LinkedHashMap<>();
        files.forEach(file -> filesOf.computeIfAbsent(volumeOf.apply(file), volume -> new ArrayList<>())
                .add(file));
        Map<VolumeName, Iterator<A>> answers = new HashMap<>();
        filesOf.forEach(
                (volume, some) -> answers.put(volume, call.apply(volume, some).iterator()));
        return files.stream()
                .map(file -> Objects.requireNonNull(answers.get(volumeOf.apply(file)))
                        .next())
                .toList();
    }

    /** The queue of small puts, for tests. */
    SmallPuts smallPuts() {
        return small;
    }

    private CompletableFuture<PutReceipt> putAlone(FilePut file) {
        PutRequest request = new PutRequest(
                file.target(),
                new FilePutSource(file.source()),
                TransferListener.NONE,
                new PutTerms(file.condition(), List.of(), file.created()),
                Optional.empty());
        return transfers
                .put(request.as(file.version()))
                .thenCompose(receipt -> file.set().isEmpty()
                        ? CompletableFuture.completedFuture(receipt)
                        : setAttributes(file.target(), file.set(), Set.of()).thenApply(all -> receipt));
    }

    private CompletableFuture<PutReceipt> put(
            PutSource source, FilePath target, PutOptions putOptions, Optional<Path> journal) {
        return transfers.put(new PutRequest(target, source, putOptions.listener(), putOptions.terms(), journal));
    }

    /**
     * Appends the bytes of a local file to a file, as a new version; the file is created when it does not exist. Only
     * the new bytes are sent, and the last chunk again when it is not full.
     *
     * <p>When another client commits meanwhile, the append is repeated on the newer version, up to 15 times. When the
     * answer to a commit is lost, the failure names the version that may exist; {@link #stat} tells whether to repeat.
     *
     * @param source a regular file; it must not change until the future is done
     * @return the receipt; fails with {@code CONFLICT} after 15 repetitions, or at once when the options name a version
     */
    public CompletableFuture<PutReceipt> append(Path source, FilePath target, PutOptions putOptions) {
        return edit(new FilePutSource(source), Edit.Kind.APPEND, 0, target, putOptions);
    }

    /**
     * Appends a stream of unknown length, as {@link #append(Path, FilePath, PutOptions)} does. The stream is first read
     * to its end into an unnamed file in the temporary directory of this machine.
     *
     * @param source read by another thread until the future is done; not closed
     */
    public CompletableFuture<PutReceipt> append(InputStream source, FilePath target, PutOptions putOptions) {
        return edit(new StreamPutSource(source, streamMemory), Edit.Kind.APPEND, 0, target, putOptions);
    }

    /**
     * Appends a stream of known length. The append is not repeated after a {@code CONFLICT}, because the stream cannot
     * be read twice.
     *
     * @param source read by another thread until the future is done; not closed
     * @param sizeBytes length of the stream; a stream of another length fails with {@code LOCAL_IO}
     */
    public CompletableFuture<PutReceipt> append(
            InputStream source, long sizeBytes, FilePath target, PutOptions putOptions) {
        return edit(new StreamPutSource(source, sizeBytes, streamMemory), Edit.Kind.APPEND, 0, target, putOptions);
    }

    /**
     * Overwrites part of a file with the bytes of a local file, as a new version; the file grows when the bytes reach
     * beyond its end. Only the chunks that change are sent.
     *
     * @param source a regular file; it must not change until the future is done
     * @param offset of the first byte that is overwritten, at least 0
     * @return the receipt; fails with {@code INVALID_ARGUMENT} for an offset beyond the end of the file, and with
     *     {@code CONFLICT} when another client commits meanwhile
     */
    public CompletableFuture<PutReceipt> write(Path source, FilePath target, long offset, PutOptions putOptions) {
        return edit(new FilePutSource(source), Edit.Kind.WRITE, offset, target, putOptions);
    }

    /**
     * Overwrites part of a file with a stream of unknown length. The stream is first read to its end into an unnamed
     * file in the temporary directory of this machine.
     *
     * @param source read by another thread until the future is done; not closed
     * @param offset of the first byte that is overwritten, at least 0
     * @return the receipt; fails as {@link #write(Path, FilePath, long, PutOptions)} does
     */
    public CompletableFuture<PutReceipt> write(
            InputStream source, FilePath target, long offset, PutOptions putOptions) {
        return edit(new StreamPutSource(source, streamMemory), Edit.Kind.WRITE, offset, target, putOptions);
    }

    /**
     * Overwrites part of a file with a stream of known length.
     *
     * @param source read by another thread until the future is done; not closed
     * @param sizeBytes length of the stream; a stream of another length fails with {@code LOCAL_IO}
     * @param offset of the first byte that is overwritten, at least 0
     * @return the receipt; fails as {@link #write(Path, FilePath, long, PutOptions)} does
     */
    public CompletableFuture<PutReceipt> write(
            InputStream source, long sizeBytes, FilePath target, long offset, PutOptions putOptions) {
        return edit(new StreamPutSource(source, sizeBytes, streamMemory), Edit.Kind.WRITE, offset, target, putOptions);
    }

    /**
     * Cuts a file after its first bytes, as a new version. Only the last chunk is sent, when it becomes shorter.
     *
     * @param sizeBytes the new length, at least 0
     * @return the receipt; fails with {@code NOT_FOUND}; with {@code INVALID_ARGUMENT} when the file is shorter; with
     *     {@code CONFLICT} when another client commits meanwhile
     */
    public CompletableFuture<PutReceipt> truncate(FilePath target, long sizeBytes, PutOptions putOptions) {
        StreamPutSource nothing = new StreamPutSource(InputStream.nullInputStream(), 0, streamMemory);
        return edit(nothing, Edit.Kind.TRUNCATE, sizeBytes, target, putOptions);
    }

    /**
     * Changes several parts of a file and its length at once, as one new version. Only the chunks that change are sent,
     * and none that are whole chunks of the change's parts at their places.
     *
     * @param change what changes; its content is read until the future is done
     * @return the receipt; fails with {@code CONFLICT} when the base or a shared part is not current any more; with
     *     {@code NOT_FOUND} when the file was removed; with {@code LOCAL_IO} when the content cannot be read
     */
    public CompletableFuture<PutReceipt> change(FileChange change, TransferListener listener) {
        return change(change, PutOptions.defaults().withListener(listener));
    }

    /**
     * Changes several parts of a file, as {@link #change(FileChange, TransferListener)} does.
     *
     * @param putOptions the listener and the locks; the condition is always the base
     * @return the receipt; fails with {@code LOCK_LOST}, too, when a lock of the options is gone
     */
    public CompletableFuture<PutReceipt> change(FileChange change, PutOptions putOptions) {
        return transfers.change(change, putOptions.listener(), putOptions.terms());
    }

    private CompletableFuture<PutReceipt> edit(
            PutSource source, Edit.Kind kind, long offset, FilePath target, PutOptions putOptions) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset: " + offset + " (expected: >= 0)");
        }
        return transfers.edit(new EditRequest(
                target, kind, offset, source, putOptions.listener(), putOptions.terms(), memoryPerGetBytes()));
    }

    private long memoryPerGetBytes() {
        return Math.min(options.memoryPerGetBytes(), options.memoryBytes());
    }

    /**
     * Reads a whole file into a local file. {@code target} appears, or is replaced, when every byte is there and
     * verified. When the get fails or is cancelled, or the process dies, {@code target} is what it was before.
     *
     * <p>The bytes that arrived before a process died lie beside {@code target}, under a name that begins with
     * {@code .cloudmw-}. The next get of the same target verifies them and fetches only the rest.
     *
     * @param target a path on this machine
     * @return the receipt; fails with {@code NOT_FOUND}; with {@code LOCAL_IO} when {@code target} cannot be written
     * @throws IllegalArgumentException when the options name a range
     */
    public CompletableFuture<GetReceipt> get(FilePath source, Path target, GetOptions getOptions) {
        if (getOptions.range().isPresent()) {
            throw new IllegalArgumentException("range: not for a file (expected: read(...) into a channel)");
        }
        return transfers.get(request(
                source, GetRequest.Destination.file(target, getOptions.durable(), getOptions.resumable()), getOptions));
    }

    /**
     * Reads a file, or a range of it, in order. Every byte is verified before it is written to {@code target}. After a
     * failure, {@code target} holds a correct beginning.
     *
     * @param target written by another thread until the future is done; it may block, which slows the read; not closed
     * @return the receipt; fails with {@code NOT_FOUND}; with {@code LOCAL_IO} when {@code target} throws
     */
    public CompletableFuture<GetReceipt> read(FilePath source, WritableByteChannel target, GetOptions getOptions) {
        return transfers.get(request(source, GetRequest.Destination.channel(target), getOptions));
    }

    /**
     * Reads a file, or a range of it, in the order in which its bytes arrive, so that no byte waits for an earlier one.
     * Every byte is verified before it is written to {@code target}.
     *
     * @param target called by several threads at once
     * @return the receipt; fails with {@code NOT_FOUND}; with {@code LOCAL_IO} when {@code target} throws
     */
    public CompletableFuture<GetReceipt> read(FilePath source, PositionalTarget target, GetOptions getOptions) {
        return transfers.get(request(source, GetRequest.Destination.target(target), getOptions));
    }

    /**
     * Reads many files into local files. The current version of each is read; files that share stored objects are read
     * together. Each file succeeds or fails for itself.
     *
     * @param files any number, of any size
     * @param getOptions the mode, priority and durability of the reads; a version, a range and a listener are ignored
     * @return a future for each file, in their order: the file as it was read; each fails as that of {@link
     *     #get(FilePath, Path, GetOptions)} does
     */
    public List<CompletableFuture<EntryStatus>> getAll(List<FileGet> files, GetOptions getOptions) {
        GetOptions plain = getOptions.withListener(TransferListener.NONE);
        SmallGets.Reads reads = new SmallGets.Reads() {
            @Override
            public CompletableFuture<GetReceipt> pack(
                    FilePath pack, VersionId version, ByteRange range, PositionalTarget target) {
                return read(pack, target, plain.withVersion(version).withRange(range));
            }

            @Override
            public CompletableFuture<GetReceipt> alone(FileGet file, VersionId version) {
                return get(file.source(), file.target(), plain.withVersion(version));
            }
        };
        return byVolume(
                files,
                file -> file.source().volume(),
                (volume, some) -> smallGets.get(volume, some, getOptions.durable(), reads));
    }

    /** The rules by which puts of small files of this client share stored objects. */
    public PackOptions packs() {
        return options.packs();
    }

    private GetRequest request(FilePath source, GetRequest.Destination target, GetOptions getOptions) {
        return new GetRequest(
                source,
                getOptions.version(),
                getOptions.range(),
                getOptions.mode(),
                getOptions.path(),
                target,
                memoryPerGetBytes(),
                getOptions.listener(),
                getOptions.deadline(),
                getOptions.priority().orElse(getOptions.range().isPresent() ? Priority.INTERACTIVE : Priority.BATCH),
                options.location());
    }

    /**
     * Opens the current version of a file for reads at any offset. Small reads are cheap: {@link RemoteFile}.
     *
     * @return the open file, which the caller closes; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<RemoteFile> open(FilePath file) {
        return open.open(file, Optional.empty());
    }

    /**
     * Opens a version of a file for reads at any offset.
     *
     * @return the open file, which the caller closes; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<RemoteFile> open(FilePath file, VersionId version) {
        return open.open(file, Optional.of(version));
    }

    /**
     * Estimates the time and the cost of a read, mode by mode. Nothing is read.
     *
     * @param mode as {@link GetOptions#mode()}; it holds whatever the deadline
     * @param deadline the time that the read should keep; empty: the target of the volume, when it has one
     * @param linkBytesPerSecond bytes that the destination takes in a second; empty: as the options of this client say
     * @return the estimate; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<ReadEstimate> estimate(
            FilePath file, Optional<Mode> mode, Optional<Duration> deadline, OptionalLong linkBytesPerSecond) {
        deadline.ifPresent(GetOptions::requirePositive);
        linkBytesPerSecond.ifPresent(CloudMwOptions::checkLink);
        return transfers.estimate(file, mode, deadline, linkBytesPerSecond);
    }

    /**
     * Estimates the cost of writing a file of this length. Nothing is written.
     *
     * @param sizeBytes at least 0
     * @return the estimate; fails with {@code VOLUME_NOT_FOUND}
     */
    public CompletableFuture<PutEstimate> estimatePut(VolumeName volume, long sizeBytes) {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("size: " + sizeBytes + " (expected: >= 0)");
        }
        return transfers.estimatePut(volume, sizeBytes);
    }

    /**
     * Compares a local file with a version, by their digests. The local file and the manifest are read, no store is.
     *
     * @return true when the bytes are the same; fails with {@code LOCAL_IO} when {@code file} cannot be read
     */
    public CompletableFuture<Boolean> isCopy(Path file, FileVersion version) {
        return transfers.isCopy(file, version);
    }

    /**
     * Fills the caches of switches with a file before it is read. Each block is read from a store once and passed on from
     * switch to switch.
     *
     * <p>A switch does not fetch again what it keeps, so an interrupted warm-up may be repeated. A switch that is lost or
     * full does not stop the others; the receipt has the result of each.
     *
     * @return the receipt; fails with {@code NOT_FOUND}, also when there is no switch in the location of the options
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

    /**
     * Looks up a file.
     *
     * @return the file and its current version; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<FileStatus> stat(FilePath file) {
        return context.coordinator().stat(file);
    }

    /**
     * Looks up many files of one volume in few calls.
     *
     * @return one for each file, in their order; empty: there is no file at the path
     */
    public CompletableFuture<List<Optional<EntryStatus>>> statAll(List<FilePath> files) {
        List<CompletableFuture<List<Optional<SmallFileCalls.FoundFile>>>> calls = new ArrayList<>();
        for (int from = 0; from < files.size(); from += SmallFileCalls.MAX_FILES) {
            List<FilePath> some = files.subList(from, Math.min(files.size(), from + SmallFileCalls.MAX_FILES));
            VolumeName volume = some.get(0).volume();
            if (some.stream().anyMatch(file -> !file.volume().equals(volume))) {
                throw new IllegalArgumentException("files: of several volumes (expected: of " + volume + ")");
            }
            calls.add(context.coordinator()
                    .smallFiles()
                    .stat(volume, some.stream().map(FilePath::path).toList(), false));
        }
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .thenApply(done -> calls.stream()
                        .flatMap(call -> call.join().stream())
                        .map(found -> found.map(SmallFileCalls.FoundFile::status))
                        .toList());
    }

    /**
     * Looks up what a path names: a file or a directory. The directory of a volume's files exists with the volume.
     *
     * @param path {@code "/"} or {@code "/a/b"}
     * @return the entry; fails with {@code NOT_FOUND} when the path names nothing
     */
    public CompletableFuture<EntryStatus> entry(VolumeName volume, String path) {
        return context.coordinator().entries().entry(volume, path);
    }

    /**
     * Looks up what a path names: a file or a directory.
     *
     * @return the entry; fails with {@code NOT_FOUND} when the path names nothing
     */
    public CompletableFuture<EntryStatus> entry(FilePath path) {
        return entry(path.volume(), path.path());
    }

    /**
     * Looks up what a path names, or could name: tells a path that is free in its directory from one whose directory is
     * missing.
     *
     * @return the entry; empty when the path names nothing and its directory exists. Fails with {@code NOT_FOUND} when the
     *     directory above is missing, or a file; with {@code VOLUME_NOT_FOUND}
     */
    public CompletableFuture<Optional<EntryStatus>> find(FilePath path) {
        return context.coordinator().entries().entryOrPlace(path);
    }

    /**
     * Looks up the chunks of a version, with the stores that have a copy of each now or should have one.
     *
     * @param file any path of the version's volume
     * @param segment 0 to {@link FileVersion#segmentCount} - 1: the catalog keeps the chunks in segments, in order
     * @return the chunks of the segment, in order; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<List<Chunk>> locate(FilePath file, VersionId version, int segment) {
        return context.coordinator()
                .segment(file, version, segment)
                .thenApply(planned ->
                        planned.chunks().stream().map(PlannedChunk::chunk).toList());
    }

    /**
     * Changes the attributes of a file or a directory, in one step. A directory stays from then on, as
     * {@link #createDirectory} says. A file keeps its attributes from version to version and under any
     * path, until it is removed. A file that replaces another by a rename brings its own attributes.
     *
     * @param set new values by name; other attributes keep their values
     * @param remove names of attributes to remove
     * @return all attributes after the change; fails with {@code NOT_FOUND}, and with {@code INVALID_ARGUMENT} when they
     *     would exceed the limits of {@link Attributes}
     */
    public CompletableFuture<Attributes> setAttributes(FilePath file, Map<String, String> set, Set<String> remove) {
        return context.coordinator().setAttributes(new AttributeChange(file, set, remove));
    }

    /**
     * Lists one page of a directory, by name.
     *
     * @param directory {@code "/"} or {@code "/a/b"}
     * @param pageToken from the previous page; empty: from the start
     * @param limit largest number of entries, 1 to 1000
     * @return the page; fails with {@code VOLUME_NOT_FOUND}; a directory that does not exist is empty
     */
    public CompletableFuture<Page<FileEntry>> list(VolumeName volume, String directory, String pageToken, int limit) {
        if (limit < 1 || limit > 1000) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: 1..1000)");
        }
        return context.coordinator().list(volume, directory, pageToken, limit);
    }

    /**
     * Creates a directory that stays when it is empty. Other directories appear with their first file and disappear with
     * their last.
     *
     * @param parents whether missing directories above are created too, and a directory that exists is no error: it stays
     *     from then on
     * @return done when the directory exists; fails with {@code NOT_FOUND} when a directory above is missing; with
     *     {@code ALREADY_EXISTS} when the path is a file, lies below a file, or is a directory and {@code parents} is
     *     false
     */
    public CompletableFuture<Void> createDirectory(FilePath directory, boolean parents) {
        return createDirectory(directory, parents, Attributes.NONE);
    }

    /**
     * Creates a directory as {@link #createDirectory(FilePath, boolean)} does.
     *
     * @param attributes given to the directory in the same step, if it did not exist
     */
    public CompletableFuture<Void> createDirectory(FilePath directory, boolean parents, Attributes attributes) {
        return context.coordinator().entries().createDirectory(directory, parents, attributes);
    }

    /**
     * Removes an empty directory. The directory above stays, even when it is empty now.
     *
     * @return done when the directory is gone; fails with {@code NOT_FOUND} when there is none, and with
     *     {@code NOT_EMPTY} when something is in it
     */
    public CompletableFuture<Void> removeDirectory(FilePath directory) {
        return context.coordinator().entries().removeDirectory(directory);
    }

    /**
     * Copies a file to another path of its volume, in one step, whatever its length. No byte is copied: both paths name
     * the same version, with the same modification time. The copy has the attributes of the file and was created now.
     * Later changes of one path do not affect the other.
     *
     * @param replace whether the copy may replace another file
     * @return the version under its new path; fails with {@code NOT_FOUND}; with {@code ALREADY_EXISTS} when the new path
     *     is a directory, lies below a file, or is a file and {@code replace} is false
     */
    public CompletableFuture<FileVersion> copy(FilePath from, FilePath to, boolean replace) {
        return context.coordinator().entries().copy(new FileCopy(from, to, replace));
    }

    /**
     * Removes a file, and the directories that become empty, except those that stay. Gets of the file that are under way
     * go on.
     *
     * @return the version that was removed; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<FileVersion> remove(FilePath file) {
        return remove(file, false);
    }

    /**
     * Removes a file. Gets of the file that are under way go on.
     *
     * @param keepDirectories makes the file's directory stay, as {@link #createDirectory} does; otherwise the directories
     *     that become empty are removed, except those that stay
     * @return the version that was removed; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<FileVersion> remove(FilePath file, boolean keepDirectories) {
        return context.coordinator().remove(file, keepDirectories);
    }

    /**
     * Moves a file or a directory to another path of its volume, in one step: no reader sees both paths, or neither. Gets
     * that are under way go on. A call that is repeated because its answer was lost has no second effect.
     *
     * @param replace whether a file may replace another file, and a file or a directory an empty directory
     * @return the entry under its new name; fails with {@code NOT_FOUND}; with {@code ALREADY_EXISTS} when the new path
     *     lies below a file, exists and {@code replace} is false, or is a file and the old path a directory; with
     *     {@code NOT_EMPTY} when it is a directory that is not empty and {@code replace} is true; with
     *     {@code INVALID_ARGUMENT} when a directory would move into itself, or paths would become too long
     */
    public CompletableFuture<FileEntry> rename(FilePath from, FilePath to, boolean replace) {
        return rename(from, to, replace, false);
    }

    /**
     * Moves a file or a directory, as {@link #rename(FilePath, FilePath, boolean)} does.
     *
     * @param keepDirectories makes the directory of {@code from} stay, as {@link #createDirectory} does; otherwise the
     *     directories that become empty are removed, except those that stay
     */
    public CompletableFuture<FileEntry> rename(FilePath from, FilePath to, boolean replace, boolean keepDirectories) {
        return context.coordinator().rename(new Rename(from, to, replace, keepDirectories));
    }

    /**
     * Locks a range of a file, without waiting. The lock excludes other locks in the cluster; see {@link RemoteLock}.
     *
     * @param file its path; there need not be a file
     * @return the lock, which the caller releases; empty when another lock is in the way. Fails with
     *     {@code VOLUME_NOT_FOUND}, and with {@code OVERLOADED} when the file has 128 locks, the volume 10,000 files with
     *     locks, or this client {@value RemoteLock#MAX_OPEN} locks
     */
    public CompletableFuture<Optional<RemoteLock>> tryLock(FilePath file, LockOptions lockOptions) {
        return locks.tryLock(file, lockOptions);
    }

    /**
     * Locks a range of a file, and waits until no other lock is in the way. The client asks again and again, at most a
     * second apart; of several that wait, any may be next.
     *
     * @return the lock, which the caller releases; cancelling the future ends the wait. Fails as {@link #tryLock} does
     */
    public CompletableFuture<RemoteLock> lock(FilePath file, LockOptions lockOptions) {
        return locks.lock(file, lockOptions);
    }

    /**
     * Watches the names of a volume, from when {@link Watch#started()} is done until the watch is closed. The listener
     * gets each change in order, once and without gaps, from whichever coordinator. After a change was told,
     * {@link #stat} and {@link #get} see that change or something newer. The rename of a directory is one change; a watch
     * of a path below its old or its new place gets it, too.
     *
     * <p>The watch reconnects when the connection breaks. It fails when no coordinator is reached for as long as the
     * options say; with {@code VOLUME_NOT_FOUND}; with {@code INVALID_ARGUMENT}; with {@code OVERLOADED} when this client
     * already has {@value Watch#MAX_OPEN} watches. It ends by itself when the volume is deleted.
     *
     * @param path {@code "/"} or {@code "/a/b"}: a file or a directory, which need not exist, and everything below it
     * @param after a position from an earlier watch; empty: from now on
     * @param listener may block, which delays no other watch; the coordinator keeps what it has not taken
     * @return the watch, which the caller closes
     */
    public Watch watch(VolumeName volume, String path, OptionalLong after, WatchListener listener) {
        return context.coordinator()
                .watch(volume, path, after, listener, context.threads().watches());
    }
}
