package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SubjectsContract;
import io.cloudmw.core.error.CloudMwException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqliteSubjectsTest extends SubjectsContract {
    @TempDir
    private Path directory;

    @Override
    protected Catalog open() throws CloudMwException {
        return SqliteCatalog.open(directory.resolve("catalog.db"));
    }
}
