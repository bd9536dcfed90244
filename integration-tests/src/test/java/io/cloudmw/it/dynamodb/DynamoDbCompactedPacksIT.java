package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.CompactedPacksContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of compacted packs against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbCompactedPacksIT extends CompactedPacksContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbCompactedPacksIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
