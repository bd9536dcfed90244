package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a large directory: listed by the coordinator and the command, and compared with an empty one. A million
 * names would fit neither into the coordinator's heap (128 MB) nor into the command's (64 MB).
 *
 * <p>A million puts would take a quarter of an hour. So, while no coordinator runs, the test copies the database row of
 * one file to other names.
 */
final class LargeDirectoryIT {
    @TempDir
    Path directory;

    @Test
    @Tag("full")
    void aDirectoryOfAMillionIsListedInTheSameMemory() throws Exception {
        assertListed(1_000_000);
    }

    @Test
    void aDirectoryOfManyPagesIsListed() throws Exception {
        assertListed(100_000);
    }

    private void assertListed(int names) throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "", "coordinator")) {
            VolumeName volume = fleet.volume("v", Fleet.disks(1));
            fleet.put(fleet.file("source", 10), new FilePath(volume, "/large/f"));
            fleet.coordinator().close();
            addNames(directory.resolve("coordinator/catalog.db"), names);
            fleet.restart("coordinator");
            areAsOthers(fleet, volume, names);

            Path lines = directory.resolve("lines");
            CommandLine commands = new CommandLine(fleet.coordinatorAddress());
            commands.withOutputTo(lines).run("ls", "v:/large").orThrow();
            try (Stream<String> read = Files.lines(lines)) {
                assertThat(read.count()).isEqualTo(names);
            }
            Path nothing = Files.createDirectory(directory.resolve("nothing"));
            assertThat(deleted(commands, "sync", nothing.toString(), "v:/large", "--delete", "--dry-run"))
                    .isEqualTo(names);
            assertThat(deleted(commands, "rm", "-r", "v:/large", "--dry-run")).isEqualTo(names);
            Path json = directory.resolve("json");
            commands.withOutputTo(json).run("ls", "v:/large", "--json").orThrow();
            assertThat(namesInOrder(json)).isEqualTo(names);
            assertThat(fleet.client()
                            .files()
                            .list(volume, "/large", "", 1000)
                            .join()
                            .items())
                    .hasSize(1000)
                    .first()
                    .extracting(FileEntry::name)
                    .isEqualTo("f");
        }
    }

    /** Returns the number of files that a command would delete. */
    private long deleted(CommandLine commands, String... arguments) throws Exception {
        Path lines = directory.resolve("deleted");
        commands.withOutputTo(lines).run(arguments).orThrow();
        try (Stream<String> read = Files.lines(lines)) {
            return read.filter(line -> line.startsWith("delete ")).count();
        }
    }

    /** Copies the row of the only file, which is named "f", to {@code names} other names. */
    private static void addNames(Path catalog, int names) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + catalog);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TEMP TABLE put AS SELECT * FROM entries WHERE name = 'f'");
            List<String> columns = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery("SELECT name FROM pragma_table_info('entries')")) {
                while (rows.next()) {
                    columns.add(rows.getString(1));
                }
            }
            columns.replaceAll(column -> column.equals("name") ? "printf('f%07d', n)" : "put." + column);
            statement.executeUpdate(String.format(
                    Locale.ROOT,
                    "WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)"
                            + " INSERT INTO entries SELECT %s FROM numbers, put",
                    names,
                    String.join(", ", columns)));
        }
    }

    /**
     * Checks that the copied names behave like others: looks up, replaces, renames and removes some. One name fewer is
     * left.
     */
    private static void areAsOthers(Fleet fleet, VolumeName volume, int names) throws IOException {
        FileVersion first = fleet.client()
                .files()
                .stat(new FilePath(volume, "/large/f"))
                .join()
                .version();
        FilePath middle = new FilePath(volume, String.format(Locale.ROOT, "/large/f%07d", names / 2));
        assertThat(fleet.client().files().stat(middle).join().version().id()).isEqualTo(first.id());
        fleet.put(fleet.file("other", 11), middle);
        assertThat(fleet.client().files().stat(middle).join().version().sizeBytes())
                .isEqualTo(11);
        FilePath last = new FilePath(volume, String.format(Locale.ROOT, "/large/f%07d", names));
        FilePath renamed = new FilePath(volume, "/large/renamed");
        fleet.client().files().rename(last, renamed, false).join();
        fleet.get(renamed, fleet.target("renamed"));
        assertThat(Files.size(fleet.target("renamed"))).isEqualTo(10);
        fleet.client().files().remove(renamed).join();
    }

    /** Returns the number of names in the file's JSON object; fails when they are not in ascending order. */
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
