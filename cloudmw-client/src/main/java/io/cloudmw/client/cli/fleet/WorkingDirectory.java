package io.cloudmw.client.cli.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary directory that is gone when it is closed, with all that is in it. Safe for any thread. */
public final class WorkingDirectory implements AutoCloseable {
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
        if (kept || !Files.exists(path)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> files = Files.walk(path)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException | UncheckedIOException e) {
            return; // somebody else is deleting it
        }
        for (Path file : all) {
            Files.deleteIfExists(file);
        }
    }
}
