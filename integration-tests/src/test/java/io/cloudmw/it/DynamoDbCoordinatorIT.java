package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.it.dynamodb.DynamoDbExtension;
import io.cloudmw.it.dynamodb.DynamoDbLocal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A coordinator process whose catalog is a DynamoDB table. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbCoordinatorIT {
    private static final long MIB = 1 << 20;

    private final DynamoDbLocal dynamoDb;

    @TempDir
    private Path directory;

    DynamoDbCoordinatorIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Test
    void anotherCoordinatorGoesOnWithTheTableOfOneThatWasKilled() throws IOException {
        String table = DynamoDbLocal.newTable();
        Map<String, String> keys = Map.of("AWS_ACCESS_KEY_ID", "test", "AWS_SECRET_ACCESS_KEY", "test");
        Map<String, String> settings = Map.of(
                "coordinator.catalog",
                "dynamodb:" + table,
                "coordinator.catalog-region",
                "eu-west-1",
                "coordinator.catalog-endpoint",
                dynamoDb.endpoint().toString(),
                "coordinator.catalog-create",
                "true");
        try (Fleet fleet = new Fleet(directory, keys, settings)) {
            fleet.startDiskHelpers(3, "");
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2, 3)), "/a/b/f");
            Path source = fleet.file("source", 5 * MIB + 3);
            fleet.put(source, file);

            fleet.coordinator().kill();
            fleet.restart("coordinator");

            assertThat(fleet.get(file, fleet.target("back")).bytes()).isEqualTo(5 * MIB + 3);
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            assertThat(directory.resolve("coordinator/catalog.db")).doesNotExist();
            try (Catalog beside = dynamoDb.open(table)) {
                assertThat(beside.current(file)).isPresent();
            }
        }
    }
}
