package io.cloudmw.coordinator.catalog.sqlite;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directory into which the database driver unpacks its native library, once in the life of a process. It is in the
 * catalog's directory, so that files of killed processes (1 MiB each) are found there and removed. In the machine's
 * temporary directory they would belong to nobody.
 */
final class DriverFiles {
    /** The driver's property; if it is set already, the directory and its cleaning are left to the user. */
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
