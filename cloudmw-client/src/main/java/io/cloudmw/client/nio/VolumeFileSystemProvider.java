package io.cloudmw.client.nio;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.channel.FileCreation;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.PosixAttributes;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Attributes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The provider of {@code cloudmw://host:port[,host:port]/volume/path}. {@code cloudmw:///volume/path} takes the
 * coordinators from the environment map (key {@code coordinator}), then from the variable {@code CLOUDMW_COORDINATOR}. The
 * map may have the file of a token (key {@code tokenFile}) or {@code insecure=true}, for plain text.
 * A path of a volume that has no file system yet opens one, which stays until it is closed. Safe for any thread.
 *
 * <p>Directories that are made here stay when they are empty. Moves within a volume are atomic, copies within a volume
 * share the bytes. Volumes have no links. Locks of channels exclude those of other clients. Watches tell their changes; a
 * directory with more than 100,000 entries is not watched, and a file system has at most 128 watches.
 */
public final class VolumeFileSystemProvider extends FileSystemProvider {
    /** The scheme of the URIs. */
    public static final String SCHEME = "cloudmw";

    private final Map<VolumeUri, VolumeFileSystem> open = new HashMap<>();

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public VolumeFileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        VolumeUri volumeUri = VolumeUri.of(uri);
        synchronized (open) {
            if (open.containsKey(volumeUri)) {
                throw new FileSystemAlreadyExistsException(uri.toString());
            }
            return connect(volumeUri, environment);
        }
    }

    private VolumeFileSystem connect(VolumeUri volumeUri, Map<String, ?> environment) {
        CloudMw client = CloudMw.connect(volumeUri.options(environment));
        VolumeFileSystem made = new VolumeFileSystem(this, volumeUri, client, ChannelOptions.defaults());
        open.put(volumeUri, made);
        return made;
    }

    void closed(VolumeFileSystem fileSystem) {
        synchronized (open) {
            open.remove(fileSystem.volumeUri(), fileSystem);
        }
    }

    @Override
    public VolumeFileSystem getFileSystem(URI uri) {
        synchronized (open) {
            VolumeFileSystem found = open.get(VolumeUri.of(uri));
            if (found == null) {
                throw new FileSystemNotFoundException(uri.toString());
            }
            return found;
        }
    }

    /** Opens the file system of the volume when it is not open. */
    @Override
    public Path getPath(URI uri) {
        VolumeUri volumeUri = VolumeUri.of(uri);
        VolumeFileSystem fileSystem;
        synchronized (open) {
            VolumeFileSystem found = open.get(volumeUri);
            fileSystem = found == null ? connect(volumeUri, Map.of()) : found;
        }
        return fileSystem.getPath(VolumeUri.path(uri));
    }

    // ---- content

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        VolumePath here = VolumePath.of(path);
        FileCreation creation = creation(attributes);
        Set<OpenOption> effective = withoutLinkOptions(options);
        return opened(
                here,
                () -> here.getFileSystem().channels().open(VolumeFileSystem.belowRoot(here), effective, creation));
    }

    @Override
    public AsynchronousFileChannel newAsynchronousFileChannel(
            Path path,
            Set<? extends OpenOption> options,
            @Nullable ExecutorService executor,
            FileAttribute<?>... attributes)
            throws IOException {
        VolumePath here = VolumePath.of(path);
        FileCreation creation = creation(attributes);
        Set<OpenOption> effective = withoutLinkOptions(options);
        ExecutorService runs = executor == null ? here.getFileSystem().asynchronous() : executor;
        return opened(
                here,
                () -> here.getFileSystem()
                        .channels()
                        .openAsynchronous(VolumeFileSystem.belowRoot(here), effective, runs, creation));
    }

    /** Creates files as the JDK's file systems do: only where there is a directory. */
    private static FileCreation creation(FileAttribute<?>... attributes) {
        return FileCreation.defaults().onlyInDirectory().withAttributes(initial(attributes));
    }

    @Override
    public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        for (OpenOption option : options) {
            if (option == StandardOpenOption.APPEND || option == StandardOpenOption.WRITE) {
                throw new UnsupportedOperationException("option: " + option + " (expected: READ)");
            }
        }
        VolumePath here = VolumePath.of(path);
        return opened(here, () -> here.getFileSystem().channels().newInputStream(VolumeFileSystem.belowRoot(here)));
    }

    @Override
    public OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
        VolumePath here = VolumePath.of(path);
        Set<OpenOption> effective = withoutLinkOptions(Set.copyOf(Arrays.asList(options)));
        if (effective.isEmpty()) {
            effective.add(StandardOpenOption.CREATE);
            effective.add(StandardOpenOption.TRUNCATE_EXISTING);
        }
        return opened(
                here,
                () -> here.getFileSystem()
                        .channels()
                        .newOutputStream(VolumeFileSystem.belowRoot(here), effective, creation()));
    }

    private static Set<OpenOption> withoutLinkOptions(Set<? extends OpenOption> options) {
        Set<OpenOption> kept = new HashSet<>(options);
        kept.remove(LinkOption.NOFOLLOW_LINKS);
        return kept;
    }

    private interface Opening<T> {
        T open() throws IOException;
    }

    /** Opens a file; tells a directory from a missing file, which reading does not tell. */
    private static <T> T opened(VolumePath path, Opening<T> opening) throws IOException {
        if (VolumeFileSystem.entry(path).isEmpty()) {
            throw isDirectory(path);
        }
        try {
            return opening.open();
        } catch (NoSuchFileException e) {
            if (path.getFileSystem().find(path).map(EntryStatus::isDirectory).orElse(false)) {
                throw isDirectory(path);
            }
            throw new NoSuchFileException(path.toString());
        } catch (FileAlreadyExistsException e) {
            throw new FileAlreadyExistsException(path.toString());
        } catch (FileSystemException e) {
            throw new FileSystemException(path.toString(), null, e.getReason());
        }
    }

    private static FileSystemException isDirectory(VolumePath path) {
        return new FileSystemException(path.toString(), null, "is a directory");
    }

    // ---- names

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        VolumePath here = VolumePath.of(directory);
        if (!here.getFileSystem().require(here).isDirectory()) {
            throw new NotDirectoryException(directory.toString());
        }
        return new DirectoryEntries(here, filter);
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        VolumePath here = VolumePath.of(directory);
        Attributes initial = initial(attributes);
        VolumeFileSystem fileSystem = here.getFileSystem();
        Optional<FilePath> entry = VolumeFileSystem.entry(here);
        if (entry.isEmpty()) {
            throw new FileAlreadyExistsException(directory.toString());
        }
        try {
            Void unused = VolumeFileSystem.await(here, fileSystem.files().createDirectory(entry.get(), false, initial));
        } catch (FileAlreadyExistsException e) {
            if (fileSystem.find(here).isEmpty()) {
                throw new FileSystemException(directory.toString(), null, e.getReason());
            }
            throw e;
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        VolumePath here = VolumePath.of(path);
        VolumeFileSystem fileSystem = here.getFileSystem();
        FilePath entry = VolumeFileSystem.belowRoot(here);
        if (fileSystem.require(here).isDirectory()) {
            Void unused = VolumeFileSystem.await(here, fileSystem.files().removeDirectory(entry));
        } else {
            var unused = VolumeFileSystem.await(here, fileSystem.files().remove(entry, true));
        }
    }

    private static Set<CopyOption> checked(CopyOption... options) {
        Set<CopyOption> set = Set.copyOf(List.of(options));
        for (CopyOption option : set) {
            if (!(option instanceof StandardCopyOption) && option != LinkOption.NOFOLLOW_LINKS) {
                throw new UnsupportedOperationException("option: " + option);
            }
        }
        return set;
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        VolumePath from = VolumePath.of(source);
        VolumePath to = VolumePath.of(target);
        Set<CopyOption> set = checked(options);
        if (set.contains(StandardCopyOption.ATOMIC_MOVE)) {
            throw new UnsupportedOperationException("option: ATOMIC_MOVE of a copy");
        }
        EntryStatus status = from.getFileSystem().require(from);
        if (isSameFile(from, to)) {
            return;
        }
        prepareTarget(to, set.contains(StandardCopyOption.REPLACE_EXISTING), status);
        if (status.isDirectory()) {
            createDirectory(to);
        } else if (from.getFileSystem() == to.getFileSystem()) {
            boolean replace = set.contains(StandardCopyOption.REPLACE_EXISTING);
            var unused = VolumeFileSystem.await(
                    to,
                    to.getFileSystem()
                            .files()
                            .copy(VolumeFileSystem.belowRoot(from), VolumeFileSystem.belowRoot(to), replace));
        } else {
            try (InputStream bytes = newInputStream(from);
                    OutputStream into = newOutputStream(to)) {
                long unused = bytes.transferTo(into);
            }
        }
        if (set.contains(StandardCopyOption.COPY_ATTRIBUTES)) {
            Files.setLastModifiedTime(to, new EntryAttributes("", status).lastModifiedTime());
        }
    }

    /** Makes room for an entry: removes an empty directory, and refuses what may not be replaced. */
    private void prepareTarget(VolumePath to, boolean replace, EntryStatus source) throws IOException {
        Optional<EntryStatus> present = to.getFileSystem().findInDirectory(to);
        if (present.isEmpty()) {
            return;
        }
        if (!replace) {
            throw new FileAlreadyExistsException(to.toString());
        }
        if (present.get().isDirectory() || source.isDirectory()) {
            delete(to);
        }
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        VolumePath from = VolumePath.of(source);
        VolumePath to = VolumePath.of(target);
        Set<CopyOption> set = checked(options);
        boolean atomic = set.contains(StandardCopyOption.ATOMIC_MOVE);
        if (atomic && set.contains(StandardCopyOption.COPY_ATTRIBUTES)) {
            throw new UnsupportedOperationException("option: COPY_ATTRIBUTES of an atomic move");
        }
        EntryStatus status = from.getFileSystem().require(from);
        if (isSameFile(from, to)) {
            return;
        }
        if (from.getFileSystem() != to.getFileSystem()) {
            moveElsewhere(from, to, status, atomic, options);
            return;
        }
        boolean replace = atomic || set.contains(StandardCopyOption.REPLACE_EXISTING);
        Optional<EntryStatus> present = to.getFileSystem().findInDirectory(to);
        if (present.isPresent() && !replace) {
            throw new FileAlreadyExistsException(to.toString());
        }
        if (status.isDirectory() && present.isPresent() && !present.get().isDirectory() && !atomic) {
            delete(to); // a directory never replaces a file in one step
        }
        var unused = VolumeFileSystem.await(
                to,
                to.getFileSystem()
                        .files()
                        .rename(VolumeFileSystem.belowRoot(from), VolumeFileSystem.belowRoot(to), replace, true));
    }

    private void moveElsewhere(
            VolumePath from, VolumePath to, EntryStatus status, boolean atomic, CopyOption... options)
            throws IOException {
        if (atomic) {
            throw new AtomicMoveNotSupportedException(from.toString(), to.toString(), "other volume");
        }
        if (status.isDirectory() && !from.getFileSystem().page(from, "").items().isEmpty()) {
            throw new DirectoryNotEmptyException(from.toString());
        }
        copy(from, to, options);
        delete(from);
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        if (path.equals(other)) {
            return true;
        }
        if (!(other instanceof VolumePath there)) {
            return false;
        }
        VolumePath here = VolumePath.of(path);
        return here.getFileSystem() == there.getFileSystem() && here.canonical().equals(there.canonical());
    }

    @Override
    public boolean isHidden(Path path) {
        Path name = VolumePath.of(path).getFileName();
        return name != null && name.toString().startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        VolumePath here = VolumePath.of(path);
        EntryStatus unused = here.getFileSystem().require(here);
        return here.getFileSystem().fileStore();
    }

    /** Files may be read and written; they may be executed when their mode says so. */
    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        VolumePath here = VolumePath.of(path);
        EntryAttributes attributes = here.getFileSystem().attributes(here);
        boolean executable =
                attributes.isDirectory() || attributes.permissions().contains(PosixFilePermission.OWNER_EXECUTE);
        if (Arrays.asList(modes).contains(AccessMode.EXECUTE) && !executable) {
            throw new AccessDeniedException(path.toString());
        }
    }

    // ---- attributes

    /** The attributes of a new entry. */
    private static Attributes initial(FileAttribute<?>... attributes) {
        Map<String, String> values = new TreeMap<>();
        for (FileAttribute<?> attribute : attributes) {
            if (!attribute.name().equals("posix:permissions")) {
                throw new UnsupportedOperationException("attribute: " + attribute.name() + " of a new entry");
            }
            @SuppressWarnings("unchecked") // as the name says
            Set<PosixFilePermission> mode = (Set<PosixFilePermission>) attribute.value();
            values.put(PosixAttributes.MODE, PosixFilePermissions.toString(mode));
        }
        return Attributes.of(values);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        VolumePath here = VolumePath.of(path);
        if (type == BasicFileAttributeView.class) {
            return type.cast(new EntryAttributeView(here, "basic"));
        }
        if (type == FileOwnerAttributeView.class) {
            return type.cast(new EntryAttributeView(here, "owner"));
        }
        if (type == PosixFileAttributeView.class) {
            return type.cast(new EntryAttributeView(here, "posix"));
        }
        return type == UserDefinedFileAttributeView.class ? type.cast(new UserAttributeView(here)) : null;
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (type != BasicFileAttributes.class && type != PosixFileAttributes.class) {
            throw new UnsupportedOperationException("attributes: " + type.getName());
        }
        VolumePath here = VolumePath.of(path);
        return type.cast(here.getFileSystem().attributes(here));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        VolumePath here = VolumePath.of(path);
        int colon = attributes.indexOf(':');
        String view = colon < 0 ? "basic" : attributes.substring(0, colon);
        if (!VolumeFileSystem.VIEW_NAMES.contains(view)) {
            throw new UnsupportedOperationException("view: " + view);
        }
        Map<String, Object> all = new TreeMap<>();
        if (view.equals("user")) {
            UserAttributeView user = new UserAttributeView(here);
            for (String name : user.list()) {
                all.put(name, user.value(name));
            }
        } else {
            all.putAll(here.getFileSystem().attributes(here).values(!view.equals("basic")));
        }
        if (view.equals("owner")) {
            all.keySet().retainAll(Set.of("owner"));
        }
        return selected(all, view, attributes.substring(colon + 1).split(",", -1));
    }

    private static Map<String, Object> selected(Map<String, Object> all, String view, String... names) {
        Map<String, Object> selected = new TreeMap<>();
        for (String name : names) {
            if (name.equals("*")) {
                selected.putAll(all);
            } else if (all.containsKey(name)) {
                selected.put(name, all.get(name));
            } else {
                throw new IllegalArgumentException("attribute: " + view + ":" + name + " (not known)");
            }
        }
        return selected;
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        VolumePath here = VolumePath.of(path);
        int colon = attribute.indexOf(':');
        String view = colon < 0 ? "basic" : attribute.substring(0, colon);
        String name = attribute.substring(colon + 1);
        if (!VolumeFileSystem.VIEW_NAMES.contains(view)) {
            throw new UnsupportedOperationException("view: " + view);
        }
        if (view.equals("user")) {
            ByteBuffer bytes = value instanceof byte[] array ? ByteBuffer.wrap(array) : (ByteBuffer) value;
            int unused = new UserAttributeView(here).write(name, bytes);
        } else {
            new EntryAttributeView(here, view).set(name, value);
        }
    }

    /** Paths of another provider are refused. */
    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        throw new NotLinkException(VolumePath.of(link).toString());
    }
}
