package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ChangeLogContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the log of changes of every catalog must do, done by that in DynamoDB. */
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
