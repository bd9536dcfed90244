package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.AppliedCallsContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of repeated calls, which must take effect once, against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbAppliedCallsIT extends AppliedCallsContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbAppliedCallsIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
