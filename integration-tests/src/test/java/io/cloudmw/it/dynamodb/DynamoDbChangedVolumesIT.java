package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ChangedVolumesContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of changing volumes and stores against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbChangedVolumesIT extends ChangedVolumesContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbChangedVolumesIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
