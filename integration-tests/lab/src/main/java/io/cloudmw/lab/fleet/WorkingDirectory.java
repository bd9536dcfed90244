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

/** A temporary directory that is deleted with its content on close. Safe for any thread. */
public final class WorkingDirectory implements AutoCloseable {
    private static final int PASSES = 100;

    private final Path path;
    private volatile boolean kept;

    private WorkingDirectory(Path path) {
        this.path = path;
    }

    /** Creates a directory whose name has a prefix. */
    public static WorkingDirectory create(String prefix) throws IOException {
        return new WorkingDirectory(Files.createTempDirectory(prefix));
    }

    public Path path() {
        return path;
    }

    /** Keeps the directory on close; returns its path. */
    public Path keep() {
        kept = true;
        return path;
    }

    /** Deletes the directory unless it is kept. Idempotent. */
    @Override
    public void close() throws IOException {
        if (!kept) {
            delete(path);
        }
    }

    /** Deletes a directory with its content. Retries a few times when files appear during the deletion. */
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

    /** A visitor that deletes a tree; files that vanish meanwhile are no error. */
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
