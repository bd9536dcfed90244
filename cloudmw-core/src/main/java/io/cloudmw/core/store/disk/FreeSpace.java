package io.cloudmw.core.store.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much room a file system has. */
@FunctionalInterface
public interface FreeSpace {
    /** Bytes that may still be written to the file system of {@code directory}. */
    long usableBytes(Path directory) throws IOException;

    /** Asks the operating system. */
    static FreeSpace system() {
        return directory -> Files.getFileStore(directory).getUsableSpace();
    }
}
