package io.cloudmw.coordinator.catalog.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.catalog.LeasesContract;
import io.cloudmw.core.error.CloudMwException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqliteLeasesTest extends LeasesContract {
    @TempDir
    private Path directory;

    @Override
    protected Catalog open() throws CloudMwException {
        return SqliteCatalog.open(directory.resolve("leases.db"));
    }

    @Test
    void epochsContinueAfterAReopen() throws Exception {
        Path file = directory.resolve("again.db");
        Duration term = Duration.ofSeconds(1);
        try (Catalog first = SqliteCatalog.open(file)) {
            assertThat(first.leases().acquire("repair", "a", term, 1)).isPresent();
        }
        try (Catalog second = SqliteCatalog.open(file)) {
            assertThat(second.leases().acquire("repair", "b", term, 2)).isEmpty();
            assertThat(second.leases().acquire("repair", "b", term, 1001)).contains(new Lease("repair", "b", 2, 2001));
        }
    }
}
