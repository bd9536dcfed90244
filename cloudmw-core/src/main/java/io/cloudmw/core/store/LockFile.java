package io.cloudmw.core.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** A file whose lock shows that a directory is in use. The system drops the lock with the process, however that ends. */
public final class LockFile {
    private LockFile() {}

    /**
     * Locks a file, made if it is not there.
     *
     * @return holds the lock until it is closed, by the caller; empty when another process holds it, or this one does
     */
    public static Optional<FileChannel> tryLock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            // Not when who had it has just removed the file: nobody else would see this lock.
            locked = channel.tryLock() != null && Files.exists(file);
        } catch (OverlappingFileLockException e) {
            // This very process has it open: refused like any other.
        } finally {
            if (!locked) {
                channel.close();
            }
        }
        return locked ? Optional.of(channel) : Optional.empty();
    }
}
