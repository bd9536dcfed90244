package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.NotesContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** What every catalog notes for upkeep, noted by the one in DynamoDB. */
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
