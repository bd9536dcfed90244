package io.cloudmw.lab.fleet;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A temporary directory that is gone when it is closed, with all that is in it. Safe for any thread. */
public final class WorkingDirectory implements AutoCloseable {
    private static final int PASSES = 100;

    private final Path path;
    private volatile boolean kept;

    private WorkingDirectory(Path path) {
        this.path = path;
    }

    /** Makes one with a name that begins so. */
    public static WorkingDirectory create(String prefix) throws IOException {
        return new WorkingDirectory(Files.createTempDirectory(prefix));
    }

    public Path path() {
        return path;
    }

    /** From now on it stays; says where it is. */
    public Path keep() {
        kept = true;
        return path;
    }

    /** Idempotent. */
    @Override
    public void close() throws IOException {
        if (!kept) {
            delete(path);
        }
    }

    /** Deletes a directory with all that is in it; what appears in it meanwhile goes, too, unless that never ends. */
    public static void delete(Path directory) throws IOException {
        for (int pass = 1; Files.exists(directory); pass++) {
            try {
                Files.walkFileTree(directory, new Deletion());
            } catch (DirectoryNotEmptyException e) {
                if (pass == PASSES) {
                    throw e;
                }
            }
        }
    }

    /** Deletes a tree; what somebody else deleted first does not matter. */
    private static final class Deletion extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            if (failure != null && !(failure instanceof NoSuchFileException)) {
                throw failure;
            }
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
