package io.cloudmw.hadoop;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.channel.RemoteOutputStream;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.PosixAttributes;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.nio.ClusterUri;
import io.cloudmw.connector.SharedClient;
import io.cloudmw.connector.SharedClients;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.hadoop.stream.InputOptions;
import io.cloudmw.hadoop.stream.ReadPolicy;
import io.cloudmw.hadoop.stream.StreamCounters;
import io.cloudmw.hadoop.stream.VolumeInputStream;
import io.cloudmw.hadoop.stream.VolumeOutputStream;
import io.cloudmw.hadoop.volume.BulkRemoval;
import io.cloudmw.hadoop.volume.CloudMwFileStatus;
import io.cloudmw.hadoop.volume.CloudMwLocatedStatus;
import io.cloudmw.hadoop.volume.Concatenation;
import io.cloudmw.hadoop.volume.EntryProperties;
import io.cloudmw.hadoop.volume.HadoopErrors;
import io.cloudmw.hadoop.volume.NameChanges;
import io.cloudmw.hadoop.volume.NamedPath;
import io.cloudmw.hadoop.volume.PathNames;
import io.cloudmw.hadoop.volume.StatusFactory;
import io.cloudmw.hadoop.volume.VersionChecksum;
import io.cloudmw.hadoop.volume.VersionHandle;
import io.cloudmw.hadoop.volume.VolumeNames;
import io.cloudmw.hadoop.volume.VolumeSpace;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.ref.Reference;
import java.net.URI;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.FSBuilderSupport;
import org.apache.hadoop.fs.impl.FileSystemMultipartUploaderBuilder;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of a cluster as a file system of Hadoop: {@code cloudmw://host:port[,host:port]/volume/path}, or
 * {@code cloudmw://volume@host:port[,host:port]/path}, where the root is that of the volume. Settings are
 * {@link HadoopSetting}s. Safe for any thread; calls block.
 *
 * <p>Renames are atomic, files and directories alike, within a volume. A file appears, whole, when its stream is closed.
 * Directories stay when they are empty.
 */
public final class CloudMwFileSystem extends FileSystem implements LeaseRecoverable, IOStatisticsSource {
    /** The scheme of the URIs. */
    public static final String SCHEME = ClusterUri.SCHEME;

    private static final String[] OPERATIONS = {
        StoreStatisticNames.OP_APPEND,
        StoreStatisticNames.OP_BULK_DELETE,
        StoreStatisticNames.OP_CREATE,
        StoreStatisticNames.OP_DELETE,
        StoreStatisticNames.OP_GET_FILE_CHECKSUM,
        StoreStatisticNames.OP_GET_FILE_STATUS,
        StoreStatisticNames.OP_LIST_LOCATED_STATUS,
        StoreStatisticNames.OP_LIST_STATUS,
        StoreStatisticNames.OP_MKDIRS,
        StoreStatisticNames.OP_OPEN,
        StoreStatisticNames.OP_RENAME,
        StoreStatisticNames.OP_TRUNCATE
    };

    private final IOStatisticsStore counters = IOStatisticsBinding.iostatisticsStore()
            .withDurationTracking(OPERATIONS)
            .withCounters(StreamCounters.names())
            .withCounters(StoreStatisticNames.OP_OPENFILE)
            .build();

    private @Nullable Parts parts;
    private volatile boolean closed;

    /** The parts that {@link #initialize} makes. */
    private static final class Parts {
        private final URI uri;
        private final PathNames paths;
        private final FileSystemConfig config;
        private final String user;
        private final SharedClient connection;
        private final VolumeNames names;
        private final NameChanges changes;
        private final EntryProperties properties;
        private volatile Path workingDirectory;

        Parts(URI uri, ClusterUri clusterUri, Configuration configuration) throws IOException {
            this.uri = uri;
            this.config = FileSystemConfig.read(configuration);
            this.paths = new PathNames(clusterUri);
            this.user = UserGroupInformation.getCurrentUser().getShortUserName();
            this.workingDirectory = new Path("/user/" + user).makeQualified(uri, null);
            String coordinators =
                    clusterUri.coordinators(Optional.of(FileSystemConfig.text(configuration, HadoopSetting.COORDINATOR))
                            .filter(text -> !text.isEmpty()));
            this.connection = SharedClients.ofProcess().take(FileSystemConfig.cluster(coordinators, configuration));
            CloudMw client = connection.client();
            this.names = new VolumeNames(client, paths, new StatusFactory(user, config.blockSizeBytes()));
            this.changes = new NameChanges(client, names, config.deleteParallel());
            this.properties = new EntryProperties(client, names);
        }
    }

    /**
     * Connects to the cluster; nothing is sent yet.
     *
     * @throws IllegalArgumentException when the URI or a setting is wrong
     */
    @Override
    public void initialize(URI name, Configuration configuration) throws IOException {
        super.initialize(name, configuration);
        setConf(configuration);
        URI uri = URI.create(SCHEME + "://" + (name.getRawAuthority() == null ? "/" : name.getRawAuthority()));
        parts = new Parts(uri, ClusterUri.of(name), configuration);
    }

    private Parts parts() {
        Parts made = parts;
        if (made == null) {
            throw new IllegalStateException("the file system is not initialized (expected: FileSystem.get)");
        }
        return made;
    }

    private Parts open() throws IOException {
        if (closed) {
            throw new IOException("Filesystem closed");
        }
        return parts();
    }

    private CloudMw client() throws IOException {
        return open().connection.client();
    }

    private Path qualified(Path path) {
        checkPath(path);
        return makeQualified(path);
    }

    private <T> T tracked(String operation, CallableRaisingIOE<T> call) throws IOException {
        return IOStatisticsBinding.trackDuration(counters, operation, call);
    }

    // ---- identity

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public URI getUri() {
        return parts().uri;
    }

    /** None: the cluster issues no tokens. */
    @Override
    @SuppressWarnings("NullAway") // Hadoop: null where there is no token
    public String getCanonicalServiceName() {
        return null;
    }

    @Override
    public Path getHomeDirectory() {
        return makeQualified(new Path("/user/" + parts().user));
    }

    @Override
    public void setWorkingDirectory(Path directory) {
        parts().workingDirectory = makeQualified(directory);
    }

    @Override
    public Path getWorkingDirectory() {
        return parts().workingDirectory;
    }

    @Override
    public IOStatistics getIOStatistics() {
        return counters;
    }

    @Override
    @SuppressWarnings("deprecation") // all other methods for the size of blocks lead here
    public long getDefaultBlockSize() {
        return parts().config.blockSizeBytes();
    }

    /** The root of the path's volume: renames work within it. */
    @Override
    public Path getEnclosingRoot(Path path) throws IOException {
        return parts().paths.rootOf(qualified(path));
    }

    /** The trash in the path's volume, so that moving a file there takes no copy. */
    @Override
    public Path getTrashRoot(Path path) {
        try {
            return new Path(getEnclosingRoot(path), ".Trash/" + parts().user);
        } catch (IOException e) {
            return super.getTrashRoot(path);
        }
    }

    @Override
    public FsStatus getStatus(@Nullable Path path) throws IOException {
        Path qualified = qualified(path == null ? new Path("/") : path);
        return VolumeSpace.of(client(), qualified, open().names.place(qualified).volume());
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
        Path qualified = qualified(path);
        return switch (PathCapabilitiesSupport.validatePathCapabilityArgs(qualified, capability)) {
            case CommonPathCapabilities.FS_APPEND,
                    CommonPathCapabilities.FS_CONCAT,
                    CommonPathCapabilities.FS_PATHHANDLES,
                    CommonPathCapabilities.FS_PERMISSIONS,
                    CommonPathCapabilities.FS_SNAPSHOTS,
                    CommonPathCapabilities.FS_TRUNCATE,
                    CommonPathCapabilities.FS_XATTRS,
                    CommonPathCapabilities.FS_MULTIPART_UPLOADER,
                    CommonPathCapabilities.ABORTABLE_STREAM,
                    CommonPathCapabilities.ETAGS_AVAILABLE,
                    CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME,
                    CommonPathCapabilities.LEASE_RECOVERABLE,
                    CommonPathCapabilities.BULK_DELETE,
                    CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS -> true;
            case CommonPathCapabilities.FS_CHECKSUMS -> parts().config.checksums();
            default -> super.hasPathCapability(path, capability);
        };
    }

    // ---- reads

    private StreamCounters reading() {
        return StreamCounters.reading(statistics, counters);
    }

    private VolumeInputStream input(
            Path path, FilePath file, Optional<VersionId> version, OptionalLong length, InputOptions options)
            throws IOException {
        SharedClient connection = open().connection; // the stream refers to it, so that it lasts as long as the stream
        return new VolumeInputStream(
                path,
                asked -> asked.isPresent()
                        ? connection.files().open(file, asked.get())
                        : connection.files().open(file),
                version,
                length,
                connection.channels(),
                options,
                reading());
    }

    private InputOptions options(int bufferSize) {
        return parts().config.input().withBuffer(Math.max(1, Math.min(bufferSize, 1 << 16)));
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return tracked(StoreStatisticNames.OP_OPEN, () -> {
            Path qualified = qualified(path);
            return HadoopErrors.await(qualified, opened(qualified, options(bufferSize)));
        });
    }

    /** Opens the current file of a path; a path in a snapshot has a version of its own. */
    private CompletableFuture<FSDataInputStream> opened(Path path, InputOptions options) throws IOException {
        NamedPath place = open().names.place(path);
        if (place.isFixed()) {
            CloudMwFileStatus status = open().names.status(path);
            return CompletableFuture.completedFuture(later(path, place, status, options));
        }
        FilePath file = file(path, place);
        VolumeInputStream stream = input(path, file, Optional.empty(), OptionalLong.empty(), options);
        CompletableFuture<RemoteFile> opening = client().files().open(file);
        CompletableFuture<FSDataInputStream> result =
                opening.thenApply(opened -> new FSDataInputStream(stream.with(opened)));
        var unused = opening.thenAccept(opened -> {
            if (result.isCancelled()) {
                opened.close(); // nobody waits for the stream any more
            }
        });
        return result;
    }

    private static FilePath file(Path path, NamedPath place) throws IOException {
        if (place.path().equals("/")) {
            throw new FileNotFoundException(path + " is a directory");
        }
        try {
            return place.file();
        } catch (IllegalArgumentException e) {
            throw new PathIOException(path.toString(), e);
        }
    }

    /** A stream over a version whose length is known: it is opened with its first read. */
    private FSDataInputStream later(Path path, NamedPath place, FileStatus status, InputOptions options)
            throws IOException {
        if (status.isDirectory()) {
            throw new FileNotFoundException(path + " is a directory");
        }
        Optional<VersionId> version = Optional.of(status)
                .filter(EtagSource.class::isInstance)
                .map(source -> ((EtagSource) source).getEtag())
                .map(VersionId::new);
        return new FSDataInputStream(
                input(path, file(path, place), version, OptionalLong.of(status.getLen()), options));
    }

    @Override
    public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
        return tracked(StoreStatisticNames.OP_OPEN, () -> {
            VersionHandle known = VersionHandle.of(handle);
            Path path = qualified(new Path(known.path()));
            VersionId version = known.resolve(open().names);
            FilePath file = file(path, open().names.place(path));
            VolumeInputStream stream =
                    input(path, file, Optional.of(version), OptionalLong.empty(), options(bufferSize));
            try {
                return new FSDataInputStream(
                        stream.with(HadoopErrors.await(path, client().files().open(file, version))));
            } catch (FileNotFoundException e) {
                throw new InvalidPathHandleException(path + ": there is no such version any more: " + version, e);
            }
        });
    }

    /**
     * Makes a handle of a file.
     *
     * @throws UnsupportedOperationException when it should hold for a file that is moved
     */
    @Override
    protected PathHandle createPathHandle(FileStatus status, HandleOpt... options) {
        boolean moves = HandleOpt.getOpt(HandleOpt.Location.class, options)
                .map(HandleOpt.Location::allowChange)
                .orElse(false);
        boolean changes = HandleOpt.getOpt(HandleOpt.Data.class, options)
                .map(HandleOpt.Data::allowChange)
                .orElse(false);
        if (moves) {
            throw new UnsupportedOperationException("handle: of a file that may move (expected: exact() or path())");
        }
        String etag = status instanceof EtagSource source ? source.getEtag() : null;
        if (etag == null) {
            throw new IllegalArgumentException(status.getPath() + ": not the status of a file of this file system");
        }
        return new VersionHandle(qualified(status.getPath()).toString(), etag, changes);
    }

    @Override
    protected CompletableFuture<FSDataInputStream> openFileWithOptions(Path path, OpenFileParameters parameters)
            throws IOException {
        AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
                parameters.getMandatoryKeys(), OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS, "for " + path);
        long unused = counters.incrementCounter(StoreStatisticNames.OP_OPENFILE, 1);
        Path qualified = qualified(path);
        Configuration given = parameters.getOptions();
        FSBuilderSupport numbers = new FSBuilderSupport(given);
        InputOptions options = options((int) Math.min(
                Integer.MAX_VALUE,
                numbers.getPositiveLong(OpenFileOptions.FS_OPTION_OPENFILE_BUFFER_SIZE, parameters.getBufferSize())));
        InputOptions wanted =
                options.withPolicy(ReadPolicy.find(given.get(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, ""))
                        .orElse(options.policy()));
        FileStatus status = parameters.getStatus();
        if (status != null && !status.getPath().getName().equals(qualified.getName())) {
            throw new IllegalArgumentException("status: of " + status.getPath() + " (expected: of " + qualified + ")");
        }
        try {
            NamedPath place = open().names.place(qualified);
            if (status != null && !(place.isFixed() && !(status instanceof EtagSource))) {
                return CompletableFuture.completedFuture(later(qualified, place, status, wanted));
            }
            long length = numbers.getPositiveLong(OpenFileOptions.FS_OPTION_OPENFILE_LENGTH, -1);
            if (length >= 0 && !place.isFixed()) {
                return CompletableFuture.completedFuture(new FSDataInputStream(
                        input(qualified, file(qualified, place), Optional.empty(), OptionalLong.of(length), wanted)));
            }
            return opened(qualified, wanted)
                    .exceptionallyCompose(e -> CompletableFuture.failedFuture(HadoopErrors.of(qualified, e)));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    // ---- writes

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress)
            throws IOException {
        return tracked(StoreStatisticNames.OP_CREATE, () -> created(path, permission, overwrite, true));
    }

    @Override
    public FSDataOutputStream createNonRecursive(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress)
            throws IOException {
        if (flags.contains(CreateFlag.APPEND)) {
            return append(path, bufferSize, progress);
        }
        return tracked(
                StoreStatisticNames.OP_CREATE,
                () -> created(path, permission, flags.contains(CreateFlag.OVERWRITE), false));
    }

    private FSDataOutputStream created(Path path, FsPermission permission, boolean overwrite, boolean parents)
            throws IOException {
        Path qualified = qualified(path);
        Parts open = open();
        boolean replaced = open.changes.prepareFile(qualified, overwrite, parents);
        FilePath file = open.names.entry(qualified);
        FsPermission masked = permission.applyUMask(FsPermission.getUMask(getConf()));
        Attributes initial = EntryProperties.initial(masked);
        RemoteOutputStream stored = HadoopErrors.translating(
                qualified, () -> open.connection.channels().newOutputStream(file, !overwrite, initial));
        return output(qualified, stored, 0, () -> {
            if (replaced && !initial.equals(Attributes.NONE)) { // a file that is replaced keeps its mode until here
                open.properties.setPermission(qualified, masked);
            }
        });
    }

    private FSDataOutputStream output(
            Path path, RemoteOutputStream stored, long startBytes, VolumeOutputStream.Completion completion)
            throws IOException {
        Parts open = open(); // the stream refers to its client by this, so that the client lasts as long as the stream
        VolumeOutputStream stream = new VolumeOutputStream(
                path,
                stored,
                open.config.writeBufferBytes(),
                open.config.refusesSync(),
                () -> {
                    try {
                        completion.run();
                    } finally {
                        Reference.reachabilityFence(open);
                    }
                },
                StreamCounters.writing(statistics, counters));
        return new FSDataOutputStream(stream, null, startBytes);
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, @Nullable Progressable progress) throws IOException {
        return tracked(StoreStatisticNames.OP_APPEND, () -> {
            Path qualified = qualified(path);
            FileVersion version = version(qualified);
            RemoteOutputStream stored = HadoopErrors.translating(
                    qualified,
                    () -> open().connection
                            .channels()
                            .newOutputStream(
                                    version.file(), Set.of(StandardOpenOption.WRITE, StandardOpenOption.APPEND)));
            return output(qualified, stored, version.sizeBytes(), () -> {});
        });
    }

    /** The current version of a file that may be changed. */
    private FileVersion version(Path path) throws IOException {
        EntryStatus status = open().names.require(path, open().names.changeable(path));
        return status.version().orElseThrow(() -> new FileNotFoundException("Path is not a file: " + path));
    }

    @Override
    public boolean truncate(Path path, long newLength) throws IOException {
        return tracked(StoreStatisticNames.OP_TRUNCATE, () -> {
            Path qualified = qualified(path);
            FileVersion version = version(qualified);
            if (newLength < 0 || newLength > version.sizeBytes()) {
                throw new IllegalArgumentException(
                        "newLength: " + newLength + " (expected: 0.." + version.sizeBytes() + ")");
            }
            if (newLength < version.sizeBytes()) {
                var unused = HadoopErrors.await(
                        qualified, client().files().truncate(version.file(), newLength, PutOptions.defaults()));
            }
            return true;
        });
    }

    @Override
    public void concat(Path target, Path[] sources) throws IOException {
        List<Path> qualified = new ArrayList<>();
        for (Path source : sources) {
            qualified.add(qualified(source));
        }
        new Concatenation(client(), open().names).concat(qualified(target), qualified);
    }

    @Override
    @SuppressWarnings("rawtypes") // as Hadoop declares it
    public MultipartUploaderBuilder createMultipartUploader(Path base) throws IOException {
        return new FileSystemMultipartUploaderBuilder(this, qualified(base));
    }

    /** True: files are never open for others, since a file appears when its stream is closed. */
    @Override
    public boolean recoverLease(Path path) throws IOException {
        return isFileClosed(path);
    }

    @Override
    public boolean isFileClosed(Path path) throws IOException {
        FileVersion unused = version(qualified(path));
        return true;
    }

    // ---- names

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return tracked(
                StoreStatisticNames.OP_GET_FILE_STATUS, () -> open().names.status(qualified(path)));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return tracked(
                StoreStatisticNames.OP_LIST_STATUS, () -> RemoteIterators.toArray(listing(path), new FileStatus[0]));
    }

    /** Lists a directory page by page, while it is iterated. */
    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        return tracked(StoreStatisticNames.OP_LIST_STATUS, () -> listing(path));
    }

    private RemoteIterator<FileStatus> listing(Path path) throws IOException {
        return RemoteIterators.mappingRemoteIterator(open().names.list(qualified(path)), status -> status);
    }

    @Override
    protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter) throws IOException {
        return tracked(
                StoreStatisticNames.OP_LIST_LOCATED_STATUS,
                () -> RemoteIterators.mappingRemoteIterator(
                        RemoteIterators.filteringRemoteIterator(
                                open().names.list(qualified(path)), status -> filter.accept(status.getPath())),
                        this::located));
    }

    private LocatedFileStatus located(CloudMwFileStatus status) throws IOException {
        BlockLocation[] locations = status.isFile() ? getFileBlockLocations(status, 0, status.getLen()) : null;
        return new CloudMwLocatedStatus(status, locations);
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        return tracked(StoreStatisticNames.OP_MKDIRS, () -> {
            Path qualified = qualified(path);
            Parts open = open();
            FsPermission masked = permission.applyUMask(FsPermission.getUMask(getConf()));
            boolean usual = EntryProperties.isDefault(masked, true);
            boolean present = !usual && exists(qualified);
            open.changes.makeDirectories(qualified);
            if (!usual && !present) {
                open.properties.setPermission(qualified, masked);
            }
            return true;
        });
    }

    @Override
    public boolean rename(Path source, Path target) throws IOException {
        return tracked(
                StoreStatisticNames.OP_RENAME, () -> open().changes.rename(qualified(source), qualified(target)));
    }

    /** Moves a file or a directory to exactly this path, in one step. */
    @Override
    @SuppressWarnings("deprecation") // FileContext calls it
    protected void rename(Path source, Path target, Options.Rename... options) throws IOException {
        boolean overwrite = Arrays.asList(options).contains(Options.Rename.OVERWRITE);
        Object unused = tracked(StoreStatisticNames.OP_RENAME, () -> {
            open().changes.move(qualified(source), qualified(target), overwrite);
            return true;
        });
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return tracked(StoreStatisticNames.OP_DELETE, () -> open().changes.delete(qualified(path), recursive));
    }

    @Override
    public BulkDelete createBulkDelete(Path base) throws IOException {
        return new BulkRemoval(client(), open().names, qualified(base), counters);
    }

    // ---- properties

    @Override
    public void setTimes(Path path, long modifiedAtMillis, long accessedAtMillis) throws IOException {
        Path qualified = qualified(path);
        if (modifiedAtMillis >= 0) {
            open().properties.setModified(qualified, modifiedAtMillis);
        } else {
            FileStatus unused = getFileStatus(qualified);
        }
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        open().properties.setPermission(qualified(path), permission);
    }

    @Override
    public void setOwner(Path path, @Nullable String owner, @Nullable String group) throws IOException {
        Map<String, String> given = new HashMap<>();
        if (owner != null) {
            given.put(PosixAttributes.OWNER, owner);
        }
        if (group != null) {
            given.put(PosixAttributes.GROUP, group);
        }
        if (given.isEmpty()) {
            throw new IllegalArgumentException("owner and group: neither is given (expected: one of them)");
        }
        open().properties.setOwner(qualified(path), given);
    }

    @Override
    public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags) throws IOException {
        open().properties.setAttribute(qualified(path), name, value, flags);
    }

    @Override
    public byte[] getXAttr(Path path, String name) throws IOException {
        return open().properties.attribute(qualified(path), name);
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path) throws IOException {
        return open().properties.attributes(qualified(path));
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
        Map<String, byte[]> all = getXAttrs(path);
        Map<String, byte[]> found = new HashMap<>();
        for (String name : names) {
            byte[] value = all.get(name);
            if (value == null) {
                throw new PathIOException(path.toString(), "has no attribute " + name);
            }
            found.put(name, value);
        }
        return found;
    }

    @Override
    public List<String> listXAttrs(Path path) throws IOException {
        return List.copyOf(getXAttrs(path).keySet());
    }

    @Override
    public void removeXAttr(Path path, String name) throws IOException {
        open().properties.removeAttribute(qualified(path), name);
    }

    /** The CRC32C of a whole file, if the settings ask for checksums; null otherwise, as Hadoop has it. */
    @Override
    public @Nullable FileChecksum getFileChecksum(Path path, long length) throws IOException {
        if (length < 0) {
            throw new IllegalArgumentException("length: " + length + " (expected: >= 0)");
        }
        return tracked(StoreStatisticNames.OP_GET_FILE_CHECKSUM, () -> {
            Path qualified = qualified(path);
            FileVersion version = version(qualified);
            return parts().config.checksums() && length >= version.sizeBytes()
                    ? VersionChecksum.of(client(), qualified, version.file(), version)
                    : null;
        });
    }

    // ---- snapshots

    private NamedPath volumeRoot(Path path) throws IOException {
        NamedPath place = open().names.changeable(path);
        if (!place.isVolumeRoot()) {
            throw new UnsupportedOperationException(path + ": is not the root of a volume (expected: "
                    + parts().paths.rootOf(path) + ": snapshots are of whole volumes)");
        }
        return place;
    }

    /** Creates a snapshot of a volume. Its files are below {@code /.snapshot/NAME} of the volume. */
    @Override
    public Path createSnapshot(Path path, @Nullable String name) throws IOException {
        Path qualified = qualified(path);
        NamedPath root = volumeRoot(qualified);
        String named = name == null ? PathNames.snapshotName() : name;
        var unused = HadoopErrors.await(
                qualified, client().snapshots().create(root.volume().orElseThrow(), named));
        return new Path(new Path(qualified, PathNames.SNAPSHOTS), named);
    }

    @Override
    public void deleteSnapshot(Path path, String name) throws IOException {
        Path qualified = qualified(path);
        NamedPath root = volumeRoot(qualified);
        var unused = HadoopErrors.await(
                qualified, client().snapshots().remove(root.volume().orElseThrow(), name));
    }

    /** Ends the use of the client. Streams that are open fail, unless something else uses the cluster. Idempotent. */
    @Override
    public void close() throws IOException {
        if (closed || parts == null) {
            return;
        }
        try {
            super.close(); // deletes what is to be deleted on exit
        } finally {
            closed = true;
            parts().connection.close();
        }
    }

    @Override
    public String toString() {
        return "CloudMwFileSystem{" + (parts == null ? "not initialized" : parts().uri) + "}";
    }
}
