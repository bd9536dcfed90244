package io.cloudmw.client.nio;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.FileOperations;
import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.thread.Threads;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.regex.Pattern;

/** The file system of one volume. Closing it closes its client. Safe for any thread. */
final class VolumeFileSystem extends FileSystem {
    private static final int ASYNCHRONOUS_THREADS = 8;

    static final Set<String> VIEW_NAMES = Set.of("basic", "owner", "posix", "user");

    private final VolumeFileSystemProvider provider;
    private final VolumeUri volumeUri;
    private final CloudMw client;
    private final FileChannels channels;
    private final ExecutorService asynchronous = Threads.unbounded("channel-operation", ASYNCHRONOUS_THREADS);
    private final Set<DirectoryWatchService> watches = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param client closed with this */
    VolumeFileSystem(
            VolumeFileSystemProvider provider, VolumeUri volumeUri, CloudMw client, ChannelOptions channelOptions) {
        this.provider = provider;
        this.volumeUri = volumeUri;
        this.client = client;
        this.channels = FileChannels.of(client, channelOptions);
    }

    VolumeUri volumeUri() {
        return volumeUri;
    }

    VolumeName volume() {
        return volumeUri.volume();
    }

    FileOperations files() {
        requireOpen();
        return client.files();
    }

    FileChannels channels() {
        requireOpen();
        return channels;
    }

    /** The executor of asynchronous channels that were given none. */
    ExecutorService asynchronous() {
        return asynchronous;
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedFileSystemException();
        }
    }

    /** The path in the terms of the client; empty: the root. */
    static Optional<FilePath> entry(VolumePath path) throws FileSystemException {
        VolumePath absolute = path.canonical();
        try {
            return absolute.getNameCount() == 0
                    ? Optional.empty()
                    : Optional.of(new FilePath(path.getFileSystem().volume(), absolute.toString()));
        } catch (IllegalArgumentException e) {
            throw new FileSystemException(path.toString(), null, e.getMessage());
        }
    }

    /** The path of an entry that is not the root. */
    static FilePath belowRoot(VolumePath path) throws FileSystemException {
        return entry(path).orElseThrow(() -> new FileSystemException(path.toString(), null, "the root of the volume"));
    }

    /** Waits for a call; its failure becomes the JDK's exception where there is one. */
    static <T> T await(VolumePath path, CompletableFuture<T> call) throws IOException {
        try {
            return Calls.await(call);
        } catch (CloudMwException e) {
            throw translated(path, e);
        }
    }

    private static IOException translated(VolumePath path, CloudMwException failure) {
        if (failure.code() == ErrorCode.INVALID_ARGUMENT) {
            return (IOException)
                    new FileSystemException(path.toString(), null, failure.getMessage()).initCause(failure);
        }
        return FileErrors.of(path.toString(), failure);
    }

    /** The entry at a path; empty: there is none. */
    Optional<EntryStatus> find(VolumePath path) throws IOException {
        String name = path.canonical().toString();
        try {
            return Calls.find(files().entry(volume(), name), ErrorCode.NOT_FOUND);
        } catch (CloudMwException e) {
            throw translated(path, e);
        }
    }

    EntryStatus require(VolumePath path) throws IOException {
        return find(path).orElseThrow(() -> new NoSuchFileException(path.toString()));
    }

    /** The entry at a path; empty: there is none, but its directory exists. */
    Optional<EntryStatus> findInDirectory(VolumePath path) throws IOException {
        Optional<FilePath> entry = entry(path);
        return entry.isEmpty() ? find(path) : await(path, files().find(entry.get()));
    }

    EntryAttributes attributes(VolumePath path) throws IOException {
        return new EntryAttributes(path.canonical().toString(), require(path));
    }

    void setAttributes(VolumePath path, Map<String, String> set, Set<String> remove) throws IOException {
        try {
            var unused = await(path, files().setAttributes(belowRoot(path), set, remove));
        } catch (IllegalArgumentException e) {
            throw new FileSystemException(path.toString(), null, e.getMessage());
        }
    }

    /** Lists a page of a directory. */
    Page<FileEntry> page(VolumePath directory, String token) throws IOException {
        return await(directory, files().list(volume(), directory.canonical().toString(), token, 1000));
    }

    URI uri(String absolutePath) {
        try {
            String path = new URI(null, null, "/" + volume() + absolutePath, null).getRawPath();
            String authority = volumeUri.authority() == null ? "" : volumeUri.authority();
            return new URI(VolumeFileSystemProvider.SCHEME + "://" + authority + path);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("path: " + absolutePath, e);
        }
    }

    @Override
    public VolumeFileSystemProvider provider() {
        return provider;
    }

    /** Closes the client of this file system and its watches; channels and streams that are open fail. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            provider.closed(this);
            asynchronous.shutdownNow();
            watches.forEach(DirectoryWatchService::close);
            channels.close();
            client.close();
        }
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(getPath("/"));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(fileStore());
    }

    VolumeFileStore fileStore() {
        requireOpen();
        return new VolumeFileStore(client, volume());
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return VIEW_NAMES;
    }

    /** @throws InvalidPathException when it has a control character */
    @Override
    public VolumePath getPath(String first, String... more) {
        StringBuilder path = new StringBuilder(first);
        for (String each : more) {
            if (!each.isEmpty()) {
                path.append(path.isEmpty() ? "" : "/").append(each);
            }
        }
        return VolumePath.parse(this, path.toString());
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        int colon = syntaxAndPattern.indexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException(
                    "pattern: \"" + syntaxAndPattern + "\" (expected: glob:... or regex:...)");
        }
        String syntax = syntaxAndPattern.substring(0, colon);
        String text = syntaxAndPattern.substring(colon + 1);
        Pattern pattern;
        if (syntax.equalsIgnoreCase("glob")) {
            pattern = GlobPattern.compile(text);
        } else if (syntax.equalsIgnoreCase("regex")) {
            pattern = Pattern.compile(text);
        } else {
            throw new UnsupportedOperationException("syntax: " + syntax + " (expected: glob or regex)");
        }
        return path -> pattern.matcher(path.toString()).matches();
    }

    /** Any name is a user and a group. */
    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return new UserPrincipalLookupService() {
            @Override
            public UserPrincipal lookupPrincipalByName(String name) {
                return new EntryAttributes.Principal(name);
            }

            @Override
            public GroupPrincipal lookupPrincipalByGroupName(String group) {
                return new EntryAttributes.Principal(group);
            }
        };
    }

    @Override
    public WatchService newWatchService() {
        requireOpen();
        DirectoryWatchService made = new DirectoryWatchService(this);
        watches.add(made);
        return made;
    }

    void closed(DirectoryWatchService service) {
        watches.remove(service);
    }

    @Override
    public String toString() {
        return uri("/").toString();
    }
}
