package io.cloudmw.client.transfer;

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

/** A file: must neither change its size nor be written while it is read. */
public final class FileSource implements PutSource {
    private final Path path;
    private volatile @Nullable FileChannel channel;
    private long size;
    private @Nullable FileTime modified;

    public FileSource(Path path) {
        this.path = path;
    }

    @Override
    public OptionalLong open() throws CloudMwException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            String what = Files.isDirectory(path) ? "a directory" : "not a regular file";
            throw new CloudMwException(ErrorCode.LOCAL_IO, path + ": cannot read it: it is " + what);
        }
        try {
            FileChannel opened = FileChannel.open(path, StandardOpenOption.READ);
            channel = opened;
            size = opened.size();
            modified = Files.getLastModifiedTime(path);
            return OptionalLong.of(size);
        } catch (NoSuchFileException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, path + ": no such file", e);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    @Override
    public long measure() {
        return size;
    }

    /** The system sets the time of the last change by itself: nobody can set it back. */
    @Override
    public Optional<String> identity() throws CloudMwException {
        try {
            BasicFileAttributes basic = Files.readAttributes(path, BasicFileAttributes.class);
            boolean unix = path.getFileSystem().supportedFileAttributeViews().contains("unix");
            Object changed = unix ? Files.getAttribute(path, "unix:ctime") : "";
            return Optional.of(basic.size() + " " + basic.lastModifiedTime() + " " + changed + " " + basic.fileKey());
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    @Override
    public boolean isStream() {
        return false;
    }

    @Override
    public Part part(ByteRange range) {
        return new Part() {
            @Override
            public long length() {
                return range.length();
            }

            @Override
            public void read(long offset, ByteBuffer target) throws CloudMwException {
                FileSource.this.read(range.offset() + offset, target);
            }

            @Override
            public void close() {}
        };
    }

    /** Fills {@code target}; once open. */
    void read(long offset, ByteBuffer target) throws CloudMwException {
        FileChannel file = channel;
        if (file == null) {
            throw new IllegalStateException("not open");
        }
        long at = offset;
        try {
            while (target.hasRemaining()) {
                int read = file.read(target, at);
                if (read < 0) {
                    throw changed("it ends at " + at + " instead of " + size);
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
        FileChannel file = channel;
        if (file == null) {
            throw new IllegalStateException("not open");
        }
        try {
            if (file.size() != size) {
                throw changed("it has " + file.size() + " bytes instead of " + size);
            }
            if (!Files.getLastModifiedTime(path).equals(modified)) {
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
                // It was only read.
            }
        }
    }
}
