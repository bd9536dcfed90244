package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.LocksContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of locks against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbLocksIT extends LocksContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbLocksIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
