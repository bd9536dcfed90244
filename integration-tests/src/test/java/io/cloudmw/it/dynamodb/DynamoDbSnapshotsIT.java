package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SnapshotsContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** How names were, as every catalog knows it, known by the one in DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbSnapshotsIT extends SnapshotsContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbSnapshotsIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
