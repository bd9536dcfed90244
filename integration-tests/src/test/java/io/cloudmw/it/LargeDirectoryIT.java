package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A directory that would fit neither the coordinator's heap (128 MB) nor the command's (64 MB), listed by both, and compared with another. The names
 * are put into the catalog's file while no coordinator runs: that they came there one by one is tested elsewhere.
 */
final class LargeDirectoryIT {
    private static final int NAMES = 300_000;

    @TempDir
    Path directory;

    @Test
    void aDirectoryIsListedWhateverItsSizeInTheSameMemory() throws Exception {
        try (Fleet fleet = Fleet.ofDisks(directory, 1, "")) {
            VolumeName volume = fleet.volume("v", Fleet.disks(1));
            fleet.put(fleet.file("source", 10), new FilePath(volume, "/large/f"));
            fleet.coordinator().close();
            addNames(directory.resolve("coordinator/catalog.db"));
            fleet.restart("coordinator");

            Path lines = directory.resolve("lines");
            CommandLine commands = new CommandLine(fleet.coordinatorAddress());
            commands.withOutputTo(lines).run("ls", "v:/large").orThrow();
            try (Stream<String> read = Files.lines(lines)) {
                assertThat(read.count()).isEqualTo(NAMES + 1L);
            }
            Path deleted = directory.resolve("deleted");
            Path nothing = Files.createDirectory(directory.resolve("nothing"));
            commands.withOutputTo(deleted)
                    .run("sync", nothing.toString(), "v:/large", "--delete", "--dry-run")
                    .orThrow();
            try (Stream<String> read = Files.lines(deleted)) {
                assertThat(read.filter(line -> line.startsWith("delete ")).count())
                        .isEqualTo(NAMES + 1L);
            }
            Path json = directory.resolve("json");
            commands.withOutputTo(json).run("ls", "v:/large", "--json").orThrow();
            assertThat(namesInOrder(json)).isEqualTo(NAMES + 1);
            assertThat(fleet.client().list(volume, "/large", "", 1000).join().items())
                    .hasSize(1000)
                    .first()
                    .extracting(FileEntry::name)
                    .isEqualTo("f");
        }
    }

    /** Gives the version of the one file that is there many names more. */
    private static void addNames(Path catalog) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + catalog);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(String.format(
                    Locale.ROOT,
                    "WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)"
                            + " INSERT INTO entries (directory, name, version_id, moved_by)"
                            + " SELECT e.directory, printf('f%%06d', n), e.version_id, ''"
                            + " FROM numbers, (SELECT * FROM entries WHERE version_id IS NOT NULL) e",
                    NAMES));
        }
    }

    /** How many names the object in this file has; fails when one is not after the one before. */
    private static int namesInOrder(Path file) throws IOException {
        int count = 0;
        String last = "";
        try (JsonParser parser = new JsonFactory().createParser(file.toFile())) {
            while (parser.nextToken() != null) {
                if (parser.currentToken() == JsonToken.FIELD_NAME
                        && parser.currentName().equals("name")) {
                    String name = parser.nextTextValue();
                    assertThat(name).isGreaterThan(last);
                    last = name;
                    count++;
                }
            }
        }
        return count;
    }
}
