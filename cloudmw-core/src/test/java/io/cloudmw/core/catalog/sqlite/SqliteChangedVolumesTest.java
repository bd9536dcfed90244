package io.cloudmw.core.catalog.sqlite;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.testing.catalog.ChangedVolumesContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqliteChangedVolumesTest extends ChangedVolumesContract {
    @TempDir
    private Path directory;

    @Override
    protected Catalog open() throws CloudMwException {
        return SqliteCatalog.open(directory.resolve("catalog.db"));
    }
}
