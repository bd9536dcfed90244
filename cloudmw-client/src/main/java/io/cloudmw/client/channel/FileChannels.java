package io.cloudmw.client.channel;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.FileOperations;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.channel.lock.ChannelLocks;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Streams and channels over files of volumes. One instance serves a whole application: all its channels and streams
 * share one memory limit. Safe for any thread; calls block.
 *
 * <p>A channel or stream that reads stays on the version that was current when it was opened. Sequential reads run
 * ahead; other reads do not. What is written becomes one new version when the channel or stream is closed.
 */
public final class FileChannels implements AutoCloseable {
    private final CloudMw client;
    private final ChannelOptions options;
    private final ReadAheadBuffers buffers;
    private final Semaphore streams;
    private final ScheduledExecutorService timer = Threads.timer("channel-timer");

    private FileChannels(CloudMw client, ChannelOptions options) {
        this.client = client;
        this.options = options;
        this.streams = new Semaphore(options.streams());
        this.buffers = new ReadAheadBuffers(client.files(), options.memoryBytes(), Ticker.system());
        long period = ReadAheadSlots.ABANDONED.toMillis() / 2;
        var unused = timer.scheduleWithFixedDelay(buffers::endAbandoned, period, period, TimeUnit.MILLISECONDS);
    }

    /**
     * Makes channels over the files of a client.
     *
     * @param client not closed with this
     * @return the channels, which the caller closes before the client
     */
    public static FileChannels of(CloudMw client, ChannelOptions options) {
        return new FileChannels(client, options);
    }

    /** The bytes that are kept for reads, or are being read ahead; at most {@link ChannelOptions#memoryBytes()}. */
    public long bufferedBytes() {
        return buffers.pieces().usedBytes();
    }

    FileOperations files() {
        return client.files();
    }

    private ChannelLocks locks(FilePath file) {
        return new ChannelLocks(files(), client.coordinators(), file, options.lockTerm());
    }

    /**
     * Opens the current version of a file as a stream. A read fills its buffer unless the file ends; {@code mark} has no
     * limit.
     *
     * @throws NoSuchFileException when there is no file
     */
    public InputStream newInputStream(FilePath file) throws IOException {
        return new RemoteInputStream(reader(file, Optional.empty()));
    }

    /**
     * Opens a stream that writes a new version of a file. Chunks are stored while the application writes.
     *
     * @param openOptions as {@code Files.newOutputStream} understands them; empty: {@code CREATE, TRUNCATE_EXISTING}
     * @return the stream; the version is visible, whole, when it is closed
     * @throws FileAlreadyExistsException with {@code CREATE_NEW} when there is a file already
     * @throws NoSuchFileException without {@code CREATE} and {@code CREATE_NEW} when there is no file
     * @throws CloudMwException {@code OVERLOADED} when {@link ChannelOptions#streams()} files are being written
     */
    public RemoteOutputStream newOutputStream(FilePath file, Set<? extends OpenOption> openOptions) throws IOException {
        return newOutputStream(file, openOptions, FileCreation.defaults());
    }

    /**
     * Opens a stream as {@link #newOutputStream(FilePath, Set)} does.
     *
     * @param creation how the file is created when it is missing
     * @throws NoSuchFileException also when the directory above is missing and must exist
     */
    public RemoteOutputStream newOutputStream(
            FilePath file, Set<? extends OpenOption> openOptions, FileCreation creation) throws IOException {
        OpenMode mode = OpenMode.ofStream(openOptions);
        Optional<FileVersion> present = checked(file, mode, creation);
        PutOptions options = putOptions(mode, creation);
        if (mode.append()) {
            return start(file, false, source -> files().append(source, file, options));
        }
        if (!mode.truncate() && present.isPresent()) {
            // As the JDK does: the bytes written replace the first bytes of the file.
            return start(file, false, source -> files().write(source, file, 0, options));
        }
        return stream(file, options);
    }

    /**
     * Opens a stream that writes a whole new version of a file. Nothing is looked up before.
     *
     * @param createNew whether there must not be a file when the stream is closed; the close then fails with
     *     {@link FileAlreadyExistsException}
     * @param initial attributes of a file that is created; a file that exists keeps its own
     * @return the stream; the version is visible, whole, when it is closed
     * @throws CloudMwException {@code OVERLOADED} when {@link ChannelOptions#streams()} files are being written
     */
    public RemoteOutputStream newOutputStream(FilePath file, boolean createNew, Attributes initial)
            throws CloudMwException {
        PutOptions options = PutOptions.defaults().withAttributes(initial);
        return stream(file, createNew ? options.ifAbsent() : options);
    }

    /** A stream that writes a whole new version. */
    RemoteOutputStream stream(FilePath file, PutOptions putOptions) throws CloudMwException {
        boolean createNew = putOptions.condition().equals(Optional.of(PutCondition.ABSENT));
        return start(file, createNew, source -> files().put(source, file, putOptions));
    }

    /** The options of a put that makes a file, or replaces one unless it must be new. */
    private static PutOptions putOptions(OpenMode mode, FileCreation creation) {
        PutOptions options = PutOptions.defaults().withAttributes(creation.attributes());
        return mode.createNew() ? options.ifAbsent() : options;
    }

    private RemoteOutputStream start(FilePath file, boolean createNew, RemoteOutputStream.PutStarter starter)
            throws CloudMwException {
        if (!streams.tryAcquire()) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    file + ": " + options.streams() + " files are being written already (close some of them first)");
        }
        return new RemoteOutputStream(file, createNew, source -> {
            var put = starter.start(source);
            var unused = put.whenComplete((receipt, failure) -> streams.release());
            return put;
        });
    }

    /**
     * Opens a file as a channel that reads, writes or both.
     *
     * <p>A channel that writes stages changed bytes on the local disk, within the limit of the options; a new version
     * shares all other chunks with the old one. {@code force} makes a version at once. A new file that is only written is
     * stored while the application writes, and its first 8 MiB alone may be written again. When another client has
     * changed the file meanwhile, {@code force} and {@code close} fail with {@code CONFLICT}.
     *
     * <p>{@code lock} and {@code tryLock} exclude locks of other channels in the cluster, and of any channel in this JVM,
     * as the JDK's do. A channel that gets a lock goes on from the file's current version, unless it has changes;
     * releasing a lock makes a version first. A lock that could not be renewed for its term is no longer valid; the
     * channel then writes nothing, and its changes are lost: {@code write}, {@code force} and {@code close} fail with
     * {@code LOCK_LOST}.
     *
     * @param openOptions as {@code FileChannel.open} understands them, without {@code DELETE_ON_CLOSE}
     * @throws FileAlreadyExistsException with {@code CREATE_NEW} when there is a file already; when two open it at once,
     *     the second one to close gets this exception then
     * @throws NoSuchFileException when there is no file, and the options do not make one
     */
    public FileChannel open(FilePath file, Set<? extends OpenOption> openOptions) throws IOException {
        return open(file, openOptions, FileCreation.defaults());
    }

    /**
     * Opens a file as {@link #open(FilePath, Set)} does.
     *
     * @param creation how the file is created when it is missing
     * @throws NoSuchFileException also when the directory above is missing and must exist
     */
    public FileChannel open(FilePath file, Set<? extends OpenOption> openOptions, FileCreation creation)
            throws IOException {
        OpenMode mode = OpenMode.of(openOptions);
        if (!mode.write()) {
            ReadContent content = new ReadContent(file, this, reader(file, Optional.empty()));
            return new RemoteFileChannel(file, mode, content, locks(file), options.stagingBytes());
        }
        Optional<FileVersion> present = checked(file, mode, creation);
        boolean keeps = present.isPresent() && !mode.truncate();
        StagedFile staged =
                new StagedFile(file, keeps ? reader(file, present.map(FileVersion::id)) : null, options.stagingBytes());
        ChannelLocks locks = locks(file);
        WriteContent content = new WriteContent(mode, this, staged, locks, putOptions(mode, creation));
        return new RemoteFileChannel(file, mode, content, locks, options.stagingBytes());
    }

    /**
     * Makes a reader of an open file, whose sequential reads run ahead within the memory of these channels. Unlike a
     * channel, it stays open when a reading thread is interrupted.
     *
     * @param file closed with the reader; it may be read directly, too
     */
    public PieceReader reader(RemoteFile file) {
        return new PieceReader(file, buffers);
    }

    /**
     * Opens a file as an asynchronous channel.
     *
     * @param executor runs the operations and the handlers; not closed
     * @throws IOException as {@link #open}
     */
    public AsynchronousFileChannel openAsynchronous(
            FilePath file, Set<? extends OpenOption> openOptions, ExecutorService executor) throws IOException {
        return openAsynchronous(file, openOptions, executor, FileCreation.defaults());
    }

    /**
     * Opens a file as {@link #openAsynchronous(FilePath, Set, ExecutorService)} does.
     *
     * @param creation how the file is created when it is missing
     */
    public AsynchronousFileChannel openAsynchronous(
            FilePath file, Set<? extends OpenOption> openOptions, ExecutorService executor, FileCreation creation)
            throws IOException {
        return new RemoteAsynchronousChannel(open(file, openOptions, creation), executor);
    }

    /** The current version, if the mode allows the file to be there, or not to be there. One call of a coordinator. */
    private Optional<FileVersion> checked(FilePath file, OpenMode mode, FileCreation creation) throws IOException {
        boolean mayLackDirectory = mode.create() && !creation.inDirectory();
        Optional<EntryStatus> present;
        try {
            present = Calls.await(files().find(file));
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.NOT_FOUND || !mayLackDirectory) {
                throw FileErrors.of(file.toString(), e);
            }
            present = Optional.empty();
        }
        if (present.isPresent() && mode.createNew()) {
            throw new FileAlreadyExistsException(file.toString());
        }
        if (present.filter(EntryStatus::isDirectory).isPresent()) {
            throw new FileSystemException(file.toString(), null, "is a directory");
        }
        if (present.isEmpty() && !mode.create()) {
            throw new NoSuchFileException(file.toString());
        }
        return present.flatMap(EntryStatus::version);
    }

    PieceReader reader(FilePath file, VersionId version) throws IOException {
        return reader(file, Optional.of(version));
    }

    /** Opens the current version, if there is one and it is another than this one. */
    Optional<PieceReader> newer(FilePath file, Optional<VersionId> known) throws IOException {
        PieceReader current;
        try {
            current = reader(file, Optional.empty());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        if (known.equals(Optional.of(current.file().version().id()))) {
            current.close();
            return Optional.empty();
        }
        return Optional.of(current);
    }

    private PieceReader reader(FilePath file, Optional<VersionId> version) throws IOException {
        try {
            return new PieceReader(
                    Calls.await(version.isPresent() ? files().open(file, version.get()) : files().open(file)), buffers);
        } catch (CloudMwException e) {
            throw FileErrors.of(file.toString(), e);
        }
    }

    /** Ends reading ahead. Open channels and streams fail when their client is closed. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
