package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that appears whole or not at all: leaves go into a temporary file beside it, which is forced to the disk and
 * renamed over it at the end.
 */
final class FileSink implements LeafSink {
    private static final Logger log = LoggerFactory.getLogger(FileSink.class);

    private final Path target;
    private final Path temporary;
    private final boolean force;
    private volatile @Nullable FileChannel channel;
    private volatile boolean aborted;

    /** @param force whether to wait until the bytes are on the disk */
    FileSink(Path target, boolean force) {
        this.target = target.toAbsolutePath();
        this.force = force;
        String unique = UUID.randomUUID().toString().substring(0, 8);
        temporary = this.target.resolveSibling("." + target.getFileName() + "." + unique + ".cloudmw-part");
    }

    @Override
    public boolean inOrder() {
        return false;
    }

    @Override
    public void open() throws CloudMwException {
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, target + ": cannot be replaced: it is not a regular file");
        }
        try {
            channel = FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw failed("create", e);
        }
        if (aborted) {
            abort();
        }
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
        try (FileChannel file = opened()) {
            if (force) {
                file.force(true);
            }
        } catch (IOException e) {
            throw failed("write to", e);
        }
        try {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw failed("replace", e);
        }
        if (force) {
            forceDirectory();
        }
    }

    private void forceDirectory() {
        Path directory = target.getParent();
        if (directory == null) {
            return;
        }
        try (FileChannel handle = FileChannel.open(directory, StandardOpenOption.READ)) {
            handle.force(true);
        } catch (IOException e) {
            log.debug("directory {} cannot be forced: the new name may be lost with the power", directory, e);
        }
    }

    @Override
    public void abort() {
        aborted = true;
        FileChannel file = channel;
        if (file == null) {
            return;
        }
        try {
            file.close();
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            log.warn("temporary file {} could not be deleted", temporary, e);
        }
    }

    private FileChannel opened() {
        FileChannel file = channel;
        if (file == null) {
            throw new IllegalStateException("not open");
        }
        return file;
    }

    private CloudMwException failed(String what, IOException e) {
        return new CloudMwException(ErrorCode.LOCAL_IO, target + ": cannot " + what + " it: " + reason(e), e);
    }

    /** What the operating system says, in words. */
    static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such directory";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException named && named.getReason() != null) {
            return named.getReason();
        }
        return String.valueOf(e.getMessage() == null ? e : e.getMessage());
    }
}
