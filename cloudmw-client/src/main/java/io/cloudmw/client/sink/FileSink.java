package io.cloudmw.client.sink;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that appears whole or not at all. Leaves go into a temporary file beside it, which is forced to the disk
 * and renamed over it at the end. A get continues with the temporary file that an interrupted get left.
 *
 * <p>As with {@code curl} and {@code cp}, a symbolic link is followed, and a file without write permission is not
 * replaced. A replaced file keeps its permissions, and its owner and group where this process may give files away.
 * Otherwise it is a new file (hard links, access control lists, extended attributes).
 */
public final class FileSink implements LeafSink {
    private static final Logger log = LoggerFactory.getLogger(FileSink.class);

    private static final int MAX_LINKS = 40;
    private static final Pattern REMOTE =
            Pattern.compile("(nfs|cifs|smb|9p|afs|ceph|gluster|lustre|gpfs|beegfs|fuse|webdav|virtiofs).*");
    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private interface Giving {
        void give() throws IOException;
    }

    private final Path asked;
    private final long sizeBytes;
    private final boolean force;
    private final boolean keep;
    private final boolean mayContinue;
    private final AtomicBoolean ended = new AtomicBoolean();
    private Path target;
    private Path temporary;
    private volatile boolean remote;
    private volatile @Nullable FileChannel channel;
    private volatile @Nullable PartialFile partial;

    /**
     * @param sizeBytes the size of the file
     * @param force whether to wait until the bytes are on the disk
     * @param keep whether bytes that arrived stay for the next get of this target after an abort
     */
    public FileSink(Path target, long sizeBytes, boolean force, boolean keep) {
        this(target, sizeBytes, force, keep, true);
    }

    /** A sink that leaves the files of interrupted gets alone, and whose caller may block. */
    public static FileSink fresh(Path target, long sizeBytes, boolean force) {
        return new FileSink(target, sizeBytes, force, false, false);
    }

    private FileSink(Path target, long sizeBytes, boolean force, boolean keep, boolean mayContinue) {
        this.mayContinue = mayContinue;
        asked = target.toAbsolutePath();
        this.sizeBytes = sizeBytes;
        this.force = force;
        this.keep = keep;
        this.target = asked;
        temporary = temporary(asked);
    }

    /** A name whose length does not depend on the target's, which may be as long as the file system allows. */
    private static Path temporary(Path target) {
        return target.resolveSibling(".cloudmw-" + UUID.randomUUID() + ".part");
    }

    @Override
    public boolean inOrder() {
        return false;
    }

    /** A local disk is slow at worst; a file system whose server is gone hangs. */
    @Override
    public boolean mayBlock() {
        return remote;
    }

    /** @param fileSystem the operating system's name of its kind */
    static boolean isRemote(String fileSystem) {
        return REMOTE.matcher(fileSystem).matches();
    }

    @Override
    public void open() throws CloudMwException {
        try {
            target = followed(asked);
            temporary = temporary(target);
            boolean exists = Files.exists(target);
            if (exists && !Files.isRegularFile(target)) {
                throw new FileSystemException(
                        target.toString(),
                        null,
                        Files.isDirectory(target) ? "it is a directory" : "it is not a regular file");
            }
            if (exists && !Files.isWritable(target)) {
                throw new AccessDeniedException(target.toString());
            }
            create(exists ? attributes(target) : null);
            // The kind of the file system is known from a list of all mounts, which is long to read for a small file.
            if (mayContinue) {
                remote = isRemote(Files.getFileStore(temporary).type());
                if (!remote) {
                    PartialFile.of(target, temporary, opened()).ifPresent(this::continueFrom);
                }
            }
        } catch (IOException e) {
            throw failed(Files.exists(asked) ? "replace" : "create", e);
        }
    }

    /**
     * Continues with a partial file, except on network file systems: their locks are unreliable, and they report write
     * errors only on close.
     */
    private void continueFrom(PartialFile found) {
        partial = found;
        temporary = found.path();
        channel = found.channel();
    }

    @Override
    public long keptBytes() {
        PartialFile found = partial;
        return found == null ? 0 : found.keptBytes();
    }

    @Override
    public void read(long offset, ByteBuffer into) throws CloudMwException {
        long at = offset;
        try {
            FileChannel file = opened();
            while (into.hasRemaining()) {
                int read = file.read(into, at);
                if (read < 0) {
                    throw new IOException("it ends at " + at);
                }
                at += read;
            }
        } catch (IOException e) {
            throw failed("read back", e);
        }
    }

    /** The target of the links, whether it exists or not. */
    private static Path followed(Path path) throws IOException {
        Path at = path;
        for (int links = 0; Files.isSymbolicLink(at); links++) {
            if (links == MAX_LINKS) {
                throw new FileSystemLoopException(path.toString());
            }
            at = at.resolveSibling(Files.readSymbolicLink(at));
        }
        return at;
    }

    private static @Nullable PosixFileAttributes attributes(Path file) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        return view == null ? null : view.readAttributes();
    }

    /**
     * @param replaced the file whose permissions the new one has from the first byte on; null: the process's default
     */
    private void create(@Nullable PosixFileAttributes replaced) throws IOException {
        Set<StandardOpenOption> fresh =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (replaced == null) {
            channel = FileChannel.open(temporary, fresh);
            return;
        }
        channel = FileChannel.open(temporary, fresh, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        inherit(replaced);
    }

    private void inherit(PosixFileAttributes replaced) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(temporary, PosixFileAttributeView.class);
        PosixFileAttributes fresh = view.readAttributes();
        if (!fresh.owner().equals(replaced.owner())) {
            given(() -> view.setOwner(replaced.owner()));
        }
        boolean sameGroup = fresh.group().equals(replaced.group()) || given(() -> view.setGroup(replaced.group()));
        view.setPermissions(sameGroup ? replaced.permissions() : forAnotherGroup(replaced.permissions()));
    }

    /** Gives the file away if this process may. */
    @CanIgnoreReturnValue // then it stays this process's own, as a new file is
    private boolean given(Giving giving) {
        try {
            giving.give();
            return true;
        } catch (IOException e) {
            log.debug("{} does not keep its owner or group", target, e);
            return false;
        }
    }

    /** Reduces the group's permissions to everybody's. */
    static Set<PosixFilePermission> forAnotherGroup(Set<PosixFilePermission> permissions) {
        Set<PosixFilePermission> less = new HashSet<>(permissions);
        less.removeAll(Set.of(
                PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE));
        if (less.contains(PosixFilePermission.OTHERS_READ)) {
            less.add(PosixFilePermission.GROUP_READ);
        }
        if (less.contains(PosixFilePermission.OTHERS_WRITE)) {
            less.add(PosixFilePermission.GROUP_WRITE);
        }
        if (less.contains(PosixFilePermission.OTHERS_EXECUTE)) {
            less.add(PosixFilePermission.GROUP_EXECUTE);
        }
        return less;
    }

    @Override
    public void write(long offset, ByteBuffer leaf) throws CloudMwException {
        long at = offset;
        try {
            FileChannel file = opened();
            while (leaf.hasRemaining()) {
                at += file.write(leaf, at);
            }
        } catch (IOException e) {
            throw failed("write to", e);
        }
    }

    @Override
    public void commit() throws CloudMwException {
        Path directory = commitFile();
        if (force) {
            forceDirectory(directory);
        }
    }

    /**
     * Gives the file its name, as {@link #commit} does, but leaves it to the caller to force the directory.
     *
     * @return the directory
     */
    public Path commitFile() throws CloudMwException {
        try {
            FileChannel file = opened();
            // An interrupted get may have left a longer file.
            file.truncate(sizeBytes);
            if (force) {
                file.force(true);
            }
            if (partial == null) {
                file.close();
            }
        } catch (IOException e) {
            throw failed("write to", e);
        }
        try {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw failed("replace", e);
        }
        ended.set(true);
        close();
        return Objects.requireNonNull(target.getParent(), "a file has a directory");
    }

    private void close() {
        try {
            if (partial != null) {
                partial.close();
            } else {
                opened().close();
            }
        } catch (IOException e) {
            log.warn("temporary file {} could not be closed", temporary, e);
        }
    }

    /** Makes the names of a directory survive a crash, where the system can. */
    public static void forceDirectory(Path directory) throws CloudMwException {
        FileChannel handle;
        try {
            handle = FileChannel.open(directory, StandardOpenOption.READ);
        } catch (IOException e) {
            log.debug("directory {} cannot be opened, hence not forced", directory, e);
            return;
        }
        try (handle) {
            handle.force(true);
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, directory + ": cannot sync it: " + Reasons.of(e), e);
        }
    }

    @Override
    public void abort() {
        if (channel == null || ended.getAndSet(true)) {
            return; // the name may be another get's by now
        }
        try {
            if (partial == null || !keep) {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            log.warn("temporary file {} could not be deleted", temporary, e);
        }
        close();
    }

    private FileChannel opened() {
        FileChannel file = channel;
        if (file == null) {
            throw new IllegalStateException("not open");
        }
        return file;
    }

    private CloudMwException failed(String what, IOException e) {
        return new CloudMwException(ErrorCode.LOCAL_IO, asked + ": cannot " + what + " it: " + reason(e), e);
    }

    /** The reason for people: a missing name means the directory. */
    private static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "no such directory" : Reasons.of(e);
    }
}
