package io.cloudmw.coordinator.catalog.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.coordinator.testing.catalog.LocksContract;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqliteLocksTest extends LocksContract {
    @TempDir
    private Path directory;

    @Override
    protected Catalog open() throws CloudMwException {
        return SqliteCatalog.open(directory.resolve("locks.db"));
    }

    @Test
    void fullVolumeDropsTheFilesWhoseLocksAreOver() throws Exception {
        Path file = directory.resolve("full.db");
        try (SqliteDatabase database = SqliteDatabase.open(file)) {
            database.write(connection ->
                    Sql.update(connection, "INSERT INTO volumes (name, definition, root) VALUES ('w', x'', 1)"));
            database.write(connection -> Sql.update(
                    connection,
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
                            + " INSERT INTO locks (volume, path, until_at, definition)"
                            + " SELECT 'w', '/f' || i, i, x'' FROM n",
                    LockRecords.MAX_FILES));
            LockRows locks = new LockRows(database);
            LockRequest request = new LockRequest(
                    UUID.randomUUID(),
                    "test",
                    FilePath.parse("w:/new"),
                    new ByteRange(0, 1),
                    false,
                    Duration.ofSeconds(1));
            assertThatThrownBy(() -> locks.acquire(request, 0))
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
            assertThat(locks.acquire(request, 1).claim()).isPresent();
        }
    }
}
