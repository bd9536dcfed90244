package io.cloudmw.coordinator.catalog.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.testing.catalog.CatalogContract;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.testing.Versions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqliteCatalogTest extends CatalogContract {
    @TempDir
    private Path directory;

    @Override
    protected Catalog open() throws CloudMwException {
        return SqliteCatalog.open(directory.resolve("sub/catalog.db"));
    }

    @Test
    void acknowledgedChangesSurviveAReopen() throws Exception {
        Path file = directory.resolve("again.db");
        FileVersion version = Versions.of("w:/a/b", 1);
        Volume volume = volume();
        try (Catalog first = SqliteCatalog.open(file)) {
            fill(first, volume, version);
        }
        try (Catalog second = SqliteCatalog.open(file)) {
            assertThat(second.volumes()).containsExactly(volume);
            assertThat(second.current(version.file())).contains(version);
            assertThat(second.segment(version.id(), 0)).hasValue(Versions.segment(version.id(), 0));
        }
    }

    @Test
    void interruptedThreadStillClosesTheCatalog() throws Exception {
        Path file = directory.resolve("interrupted.db");
        SqliteCatalog catalog = SqliteCatalog.open(file);
        Thread.currentThread().interrupt();
        catalog.close();
        assertThat(Thread.interrupted()).isTrue();
        SqliteCatalog.open(file).close();
    }

    /** The files at any moment are what a killed process leaves; the test copies them beside a running catalog. */
    @Test
    void acknowledgedChangesSurviveACrash() throws Exception {
        Path file = directory.resolve("live.db");
        Path copy = directory.resolve("crashed.db");
        FileVersion version = Versions.of("w:/a/b", 1);
        Volume volume = volume();
        try (Catalog running = SqliteCatalog.open(file)) {
            fill(running, volume, version);
            Files.copy(file, copy);
            Files.copy(Path.of(file + "-wal"), Path.of(copy + "-wal"));
        }
        try (Catalog recovered = SqliteCatalog.open(copy)) {
            assertThat(recovered.volumes()).containsExactly(volume);
            assertThat(recovered.current(version.file())).contains(version);
        }
    }

    @Test
    void tornLastWriteLosesNothingEarlier() throws Exception {
        Path file = directory.resolve("live.db");
        Path copy = directory.resolve("torn.db");
        FileVersion version = Versions.of("w:/a/b", 1);
        Volume volume = volume();
        try (Catalog running = SqliteCatalog.open(file)) {
            fill(running, volume, version);
            byte[] before = Files.readAllBytes(Path.of(file + "-wal"));
            running.remove(version.file(), 1);
            byte[] after = Files.readAllBytes(Path.of(file + "-wal"));
            Files.copy(file, copy);
            Files.write(
                    Path.of(copy + "-wal"),
                    java.util.Arrays.copyOf(after, before.length + (after.length - before.length) / 2));
        }
        try (Catalog recovered = SqliteCatalog.open(copy)) {
            assertThat(recovered.current(version.file())).contains(version);
        }
    }

    @Test
    void secondProcessIsKeptOut() throws Exception {
        Path file = directory.resolve("one.db");
        try (Catalog first = SqliteCatalog.open(file)) {
            CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> SqliteCatalog.open(file));
            assertThat(failure.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
            assertThat(first.volumes()).isEmpty();
        }
        SqliteCatalog.open(file).close();
    }

    @Test
    void fileOfANewerReleaseIsRefusedAndUnchanged() throws Exception {
        Path file = directory.resolve("newer.db");
        SqliteCatalog.open(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            Sql.update(connection, "UPDATE schema_version SET version = 99");
        }
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> SqliteCatalog.open(file));
        assertThat(failure.code()).isEqualTo(ErrorCode.VERSION_UNSUPPORTED);
        assertThat(failure).hasMessageContaining("99");
    }

    @Test
    void fileOfTheFirstReleaseOpensWithAllItsContent() throws Exception {
        Path file = directory.resolve("first.db");
        List<FileVersion> versions = new ArrayList<>();
        for (String path : List.of("w:/a", "w:/b/c", "w:/b/cc/d", "w:/ü/b/ü", "w:/b-/b", "w:/bb/" + "x".repeat(1020))) {
            versions.add(Versions.of(path, 0));
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            writeAsTheFirstRelease(connection, versions);
        }
        try (Catalog catalog = SqliteCatalog.open(file)) {
            for (FileVersion version : versions) {
                assertThat(catalog.current(version.file())).contains(version);
            }
            assertThat(catalog.file(versions.get(0).file()))
                    .contains(new CurrentFile(versions.get(0), 1, Attributes.NONE));
            assertThat(catalog.list(volume().name(), "/", "", 10).items())
                    .extracting(entry -> entry.name() + (entry.isDirectory() ? "/" : ""))
                    .containsExactly("a", "b/", "b-/", "bb/", "ü/");
            assertThat(catalog.list(volume().name(), "/b", "", 10).items())
                    .extracting(DirectoryEntry::name)
                    .containsExactly("c", "cc");
            assertThat(catalog.list(new VolumeName("empty"), "/", "", 10).items())
                    .isEmpty();
            CloudMwException failure =
                    catchThrowableOfType(CloudMwException.class, () -> rename(catalog, "w:/bb", "w:/bbb"));
            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            rename(catalog, "w:/bb", "w:/cc");
            catalog.commit(new CommitRequest(Versions.of("w:/new/b", 0), Optional.empty(), List.of()));
        }
    }

    private static void rename(Catalog catalog, String from, String to) throws CloudMwException {
        catalog.rename(new Rename(FilePath.parse(from), FilePath.parse(to), true), 1);
    }

    private static void writeAsTheFirstRelease(Connection connection, List<FileVersion> versions) throws Exception {
        for (String statement : SqliteSchema.FIRST) {
            Sql.update(connection, statement);
        }
        Sql.update(connection, "CREATE TABLE schema_version (version INTEGER NOT NULL)");
        Sql.update(connection, "INSERT INTO schema_version VALUES (1)");
        Sql.update(connection, "INSERT INTO volumes VALUES ('w', ?)", StoredForms.volume(volume()));
        Sql.update(connection, "INSERT INTO volumes VALUES ('empty', ?)", StoredForms.volume(volume()));
        for (FileVersion version : versions) {
            Sql.update(
                    connection,
                    "INSERT INTO versions VALUES (?, ?, 'w', ?, 1)",
                    version.id().value(),
                    SqliteSchema.CURRENT,
                    StoredForms.version(version));
            Sql.update(
                    connection,
                    "INSERT INTO files VALUES ('w', ?, ?)",
                    version.file().path(),
                    version.id().value());
        }
    }

    @Test
    void directoryRenameWritesAFewRows() throws Exception {
        Path file = directory.resolve("many.db");
        try (Catalog catalog = SqliteCatalog.open(file)) {
            fill(catalog, volume(), Versions.of("w:/small/x", 1));
            for (int i = 0; i < 500; i++) {
                catalog.commit(new CommitRequest(
                        Versions.of("w:/large/" + i % 10 + "/x" + i, 0), Optional.empty(), List.of()));
            }
        }
        try (SqliteDatabase database = SqliteDatabase.open(file)) {
            assertThat(rowsChanged(database, "w:/large", "w:/small/large")).isLessThan(10);
        }
    }

    private static long rowsChanged(SqliteDatabase database, String from, String to) throws CloudMwException {
        Rename rename = new Rename(FilePath.parse(from), FilePath.parse(to), true);
        return database.write(connection -> {
            long before = totalChanges(connection);
            NameRows.tree(connection).rename(rename, 1);
            return totalChanges(connection) - before;
        });
    }

    @Test
    void snapshotOfManyNamesWritesAsManyRowsAsOneOfFew() throws Exception {
        Path file = directory.resolve("snapshots.db");
        try (Catalog catalog = SqliteCatalog.open(file)) {
            fill(catalog, volume(), Versions.of("w:/x", 1));
        }
        putMany(file, 0, 10);
        long few = rowsOfASnapshot(file, "few");
        putMany(file, 10, 10_000);
        assertThat(rowsOfASnapshot(file, "many")).isEqualTo(few);
    }

    /** Many writers share one sync. */
    private static void putMany(Path file, int first, int end) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try (Catalog catalog = SqliteCatalog.open(file)) {
            List<Future<FileVersion>> puts = new ArrayList<>();
            for (int i = first; i < end; i++) {
                FileVersion version = Versions.of("w:/d" + i % 7 + "/f" + i, 0);
                puts.add(threads.submit(() -> catalog.commit(new CommitRequest(version, Optional.empty(), List.of()))));
            }
            for (Future<FileVersion> put : puts) {
                put.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static long rowsOfASnapshot(Path file, String name) throws CloudMwException {
        try (SqliteDatabase database = SqliteDatabase.open(file)) {
            long before = database.write(SqliteCatalogTest::totalChanges);
            Snapshot unused = new SnapshotRows(database, new ChangeLogRows(database), new AppliedCallRows(database))
                    .create(new VolumeName("w"), name, ChangeRequest.once(1));
            return database.write(SqliteCatalogTest::totalChanges) - before;
        }
    }

    private static long totalChanges(Connection connection) throws SQLException, CloudMwException {
        return Sql.first(connection, row -> row.getLong(1), "SELECT total_changes()")
                .orElseThrow();
    }

    /** The page is read without earlier rows and without sorting. */
    @Test
    void pageIsReadFromTheIndexFromItsFirstNameOn() throws Exception {
        try (SqliteDatabase database = SqliteDatabase.open(directory.resolve("plan.db"))) {
            List<String> steps = database.read(connection -> Sql.list(
                    connection,
                    row -> row.getString("detail"),
                    "EXPLAIN QUERY PLAN " + NameRows.PAGE,
                    1L,
                    "name",
                    1000));
            assertThat(steps)
                    .anySatisfy(step -> assertThat(step).contains("PRIMARY KEY (directory=? AND name>?)"))
                    .noneMatch(step -> step.contains("SCAN") || step.contains("TEMP"));
        }
    }

    @Test
    void fileThatIsNoDatabaseIsRefused() throws Exception {
        Path file = Files.writeString(directory.resolve("text.db"), "this is no database".repeat(100));
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> SqliteCatalog.open(file));
        assertThat(failure.code()).isEqualTo(ErrorCode.LOCAL_IO);
    }

    @Test
    void commitIsSyncedToTheDisk() throws Exception {
        Path file = directory.resolve("sync.db");
        SqliteCatalog.open(file).close();
        try (SqliteDatabase database = SqliteDatabase.open(file)) {
            assertThat(pragma(database, "synchronous")).isEqualTo("2");
            assertThat(pragma(database, "journal_mode")).isEqualTo("wal");
        }
    }

    /** A failure inside a transaction leaves nothing of it. */
    @Test
    void changeThatFailsHalfwayIsRolledBack() throws Exception {
        try (SqliteDatabase database = SqliteDatabase.open(directory.resolve("half.db"))) {
            CloudMwException failure = catchThrowableOfType(
                    CloudMwException.class,
                    () -> database.write(connection -> {
                        Sql.update(connection, "INSERT INTO stores VALUES ('s', x'00')");
                        throw new CloudMwException(ErrorCode.CONFLICT, "halfway");
                    }));
            assertThat(failure.code()).isEqualTo(ErrorCode.CONFLICT);
            boolean exists = database.read(connection -> Sql.exists(connection, "SELECT 1 FROM stores"));
            assertThat(exists).isFalse();
        }
    }

    private static String pragma(SqliteDatabase database, String name) throws CloudMwException {
        return database.write(connection ->
                Sql.first(connection, row -> row.getString(1), "PRAGMA " + name).orElseThrow());
    }

    private static void fill(Catalog catalog, Volume volume, FileVersion version) throws CloudMwException {
        catalog.putStore(new Store(new StoreId("s1"), "d", new Store.S3("b", "eu-west-1", "", false, "")));
        catalog.createVolume(volume);
        catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), 1);
        catalog.commit(new CommitRequest(version, Optional.empty(), List.of()));
    }

    private static Volume volume() {
        return new Volume(
                new VolumeName("w"), new Chunking.ByCount(3), 1, List.of(new StoreId("s1")), 1, Mode.ROUNDS, false, 42);
    }
}
