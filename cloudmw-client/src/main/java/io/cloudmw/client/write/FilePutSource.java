package io.cloudmw.client.write;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A source that reads a file, which must be neither written nor replaced meanwhile. */
public final class FilePutSource implements PutSource {
    private static final int MAX_OPENED = 3;

    /**
     * A file's state, as the system reports it.
     *
     * @param changed the time of the last change, which cannot be set back; empty where the system does not know it
     * @param key the file's identity, whatever its name; empty where the system does not know it
     */
    private record Stamp(long size, FileTime modified, String changed, String key) {
        static Stamp of(Path path, BasicFileAttributes basic) throws IOException {
            boolean unix = path.getFileSystem().supportedFileAttributeViews().contains("unix");
            Object changed = unix ? Files.getAttribute(path, "unix:ctime") : "";
            return new Stamp(
                    basic.size(), basic.lastModifiedTime(), changed.toString(), String.valueOf(basic.fileKey()));
        }
    }

    private final Path path;
    private volatile @Nullable FileChannel channel;
    private @Nullable Stamp stamp;

    public FilePutSource(Path path) {
        this.path = path;
    }

    /**
     * Measures a file. Blocks.
     *
     * @throws CloudMwException {@code LOCAL_IO} when it is no regular file, or cannot be examined
     */
    public static long size(Path path) throws CloudMwException {
        FilePutSource source = new FilePutSource(path);
        try {
            return source.attributes().size();
        } catch (CloudMwException e) {
            throw e;
        } catch (NoSuchFileException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, path + ": no such file", e);
        } catch (IOException e) {
            throw source.unreadable(e);
        }
    }

    @Override
    public OptionalLong open() throws CloudMwException {
        try {
            for (int i = 0; i < MAX_OPENED; i++) {
                Stamp before = stamp();
                FileChannel opened = FileChannel.open(path, StandardOpenOption.READ);
                channel = opened;
                // A channel has no identity: it is the file's that has the name before and after.
                if (opened.size() == before.size() && stamp().equals(before)) {
                    stamp = before;
                    return OptionalLong.of(before.size());
                }
                close();
            }
            throw changed("another process is writing to it, or replacing it");
        } catch (CloudMwException e) {
            throw e;
        } catch (NoSuchFileException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, path + ": no such file", e);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private Stamp stamp() throws IOException {
        return Stamp.of(path, attributes());
    }

    private BasicFileAttributes attributes() throws IOException {
        BasicFileAttributes basic = Files.readAttributes(path, BasicFileAttributes.class);
        if (!basic.isRegularFile()) {
            String what = basic.isDirectory() ? "a directory" : "not a regular file";
            throw new CloudMwException(ErrorCode.LOCAL_IO, path + ": cannot read it: it is " + what);
        }
        return basic;
    }

    private Stamp opened() {
        Stamp known = stamp;
        if (known == null) {
            throw new IllegalStateException("not open");
        }
        return known;
    }

    @Override
    public long measure() {
        return opened().size();
    }

    @Override
    public Optional<String> identity() {
        Stamp known = opened();
        return Optional.of(known.size() + " " + known.modified() + " " + known.changed() + " " + known.key());
    }

    @Override
    public boolean isStream() {
        return false;
    }

    @Override
    public Part part(ByteRange range) {
        return Part.of(range, this::read);
    }

    /** Fills {@code target}, once open. */
    public void read(long offset, ByteBuffer target) throws CloudMwException {
        FileChannel file = channel;
        if (file == null) {
            throw new IllegalStateException("not open");
        }
        long at = offset;
        try {
            while (target.hasRemaining()) {
                int read = file.read(target, at);
                if (read < 0) {
                    throw changed("it ends at " + at + " instead of " + opened().size());
                }
                at += read;
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    @Override
    public void checkUnchanged() throws CloudMwException {
        Stamp known = opened();
        try {
            Stamp now = stamp();
            if (!now.key().equals(known.key())) {
                throw changed("another file was put in its place");
            }
            if (now.size() != known.size()) {
                throw changed("it has " + now.size() + " bytes instead of " + known.size());
            }
            if (!now.modified().equals(known.modified())) {
                throw changed("it was written to");
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private CloudMwException changed(String how) {
        return new CloudMwException(ErrorCode.LOCAL_IO, path + ": changed while it was read: " + how);
    }

    private CloudMwException unreadable(IOException e) {
        return new CloudMwException(ErrorCode.LOCAL_IO, path + ": cannot read it: " + Reasons.of(e), e);
    }

    @Override
    public void close() {
        FileChannel file = channel;
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                // The file was only read: a failed close loses nothing.
            }
        }
    }
}
