package io.cloudmw.core.store.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The free space of a file system. */
@FunctionalInterface
public interface FreeSpace {
    /** The bytes that can still be written to the file system of {@code directory}. */
    long usableBytes(Path directory) throws IOException;

    /** The free space by the operating system. */
    static FreeSpace system() {
        return directory -> Files.getFileStore(directory).getUsableSpace();
    }
}
