package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.PacksContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of packs against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbPacksIT extends PacksContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbPacksIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
