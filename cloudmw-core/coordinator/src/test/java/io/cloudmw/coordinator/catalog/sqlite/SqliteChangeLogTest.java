package io.cloudmw.coordinator.catalog.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.testing.catalog.ChangeLogContract;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.testing.Versions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqliteChangeLogTest extends ChangeLogContract {
    @TempDir
    private Path directory;

    @Override
    protected Catalog open() throws CloudMwException {
        return SqliteCatalog.open(directory.resolve("catalog.db"));
    }

    @Test
    void reopenedCatalogContinuesPositions() throws Exception {
        VolumeName volume = new VolumeName("w");
        StoreId store = new StoreId("s");
        for (long position = 1; position <= 3; position++) {
            try (Catalog again = SqliteCatalog.open(directory.resolve("again.db"))) {
                if (position == 1) {
                    again.putStore(new Store(store, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")));
                    again.createVolume(
                            new Volume(volume, new Chunking.ByCount(3), 1, List.of(store), 1, Mode.ROUNDS, false, 42));
                }
                FileVersion version = Versions.of("w:/f" + position, 0);
                again.commit(new CommitRequest(version, Optional.empty(), List.of()));
                assertThat(again.changes().position(volume)).isEqualTo(position);
                assertThat(again.changes().after(volume, position - 1, 10).items())
                        .containsExactly(Change.put(version.file(), version.id(), version.committedAtMillis())
                                .at(position));
            }
        }
    }
}
