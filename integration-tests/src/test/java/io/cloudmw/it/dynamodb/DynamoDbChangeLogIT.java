package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ChangeLogContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of the change log against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbChangeLogIT extends ChangeLogContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbChangeLogIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
