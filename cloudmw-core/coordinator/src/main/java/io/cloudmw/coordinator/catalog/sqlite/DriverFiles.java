package io.cloudmw.coordinator.catalog.sqlite;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the database driver unpacks its native library, once in the life of a process: a directory of the catalog's own, so that what
 * processes that were killed have left (1 MiB each) is found there, and removed. In the directory for temporary files of the machine it
 * would be anybody's.
 */
final class DriverFiles {
    /** The driver's; whoever sets it chooses another directory, and cleans it. */
    private static final String SETTING = "org.sqlite.tmpdir";

    private static final String NAME = "driver";

    private DriverFiles() {}

    /**
     * Chooses the directory and empties it, unless it was chosen before.
     *
     * @param data the catalog's directory, which no other process uses
     */
    static synchronized void keepIn(Path data) throws IOException {
        if (System.getProperty(SETTING) != null) {
            return;
        }
        Path directory = data.resolve(NAME);
        Files.createDirectories(directory);
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, "sqlite-*")) {
            for (Path file : left) {
                Files.deleteIfExists(file);
            }
        }
        System.setProperty(SETTING, directory.toString());
    }
}
