package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SnapshotsContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the snapshot tests against DynamoDB. */
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
