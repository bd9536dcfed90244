package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.NotesContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of upkeep notes against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbNotesIT extends NotesContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbNotesIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
