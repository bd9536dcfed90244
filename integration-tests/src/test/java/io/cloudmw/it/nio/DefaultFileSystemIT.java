package io.cloudmw.it.nio;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract holds for the JDK's default file system, so that it is the contract and not a habit of ours. */
final class DefaultFileSystemIT extends FileSystemContract {
    @TempDir
    Path directory;

    @TempDir
    Path logs;

    @Override
    Path emptyDirectory() {
        return directory;
    }

    @Override
    Path logs() {
        return logs;
    }
}
