package io.cloudmw.core.catalog.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.Commit;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.testing.catalog.CatalogContract;
import io.cloudmw.core.testing.catalog.Versions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Optional;
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
    void whatWasAcknowledgedIsThereAfterAReopen() throws Exception {
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
    void anInterruptedThreadClosesItAllTheSame() throws Exception {
        Path file = directory.resolve("interrupted.db");
        SqliteCatalog catalog = SqliteCatalog.open(file);
        Thread.currentThread().interrupt();
        catalog.close();
        assertThat(Thread.interrupted()).isTrue();
        SqliteCatalog.open(file).close();
    }

    /** What is in the files at any moment is what a killed process leaves: copied beside a catalog that still runs. */
    @Test
    void whatWasAcknowledgedSurvivesACrash() throws Exception {
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
    void aTornLastWriteLosesNothingEarlier() throws Exception {
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
    void aSecondProcessIsKeptOut() throws Exception {
        Path file = directory.resolve("one.db");
        try (Catalog first = SqliteCatalog.open(file)) {
            CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> SqliteCatalog.open(file));
            assertThat(failure.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
            assertThat(first.volumes()).isEmpty();
        }
        SqliteCatalog.open(file).close();
    }

    @Test
    void aFileOfANewerReleaseIsRefusedAndLeftAlone() throws Exception {
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
    void whatIsNoDatabaseIsRefused() throws Exception {
        Path file = Files.writeString(directory.resolve("text.db"), "this is no database".repeat(100));
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> SqliteCatalog.open(file));
        assertThat(failure.code()).isEqualTo(ErrorCode.LOCAL_IO);
    }

    @Test
    void aCommitIsSyncedToTheDisk() throws Exception {
        Path file = directory.resolve("sync.db");
        SqliteCatalog.open(file).close();
        try (Database database = Database.open(file)) {
            assertThat(pragma(database, "synchronous")).isEqualTo("2");
            assertThat(pragma(database, "journal_mode")).isEqualTo("wal");
        }
    }

    /** A failure inside a transaction leaves nothing of it. */
    @Test
    void whatFailsHalfwayIsUndone() throws Exception {
        try (Database database = Database.open(directory.resolve("half.db"))) {
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

    private static String pragma(Database database, String name) throws CloudMwException {
        return database.write(connection ->
                Sql.first(connection, row -> row.getString(1), "PRAGMA " + name).orElseThrow());
    }

    private static void fill(Catalog catalog, Volume volume, FileVersion version) throws CloudMwException {
        catalog.putStore(new Store(new StoreId("s1"), "d", new Store.S3("b", "eu-west-1", "", false, "")));
        catalog.createVolume(volume);
        catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), 1);
        catalog.commit(new Commit(version, Optional.empty(), List.of()));
    }

    private static Volume volume() {
        return new Volume(
                new VolumeName("w"), new Chunking.ByCount(3), 1, List.of(new StoreId("s1")), 1, Mode.ROUNDS, false, 42);
    }
}
