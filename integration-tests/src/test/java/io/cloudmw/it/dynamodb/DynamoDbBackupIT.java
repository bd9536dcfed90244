package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.BackupContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is exported of every catalog and recovered into one, done with those in DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbBackupIT extends BackupContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbBackupIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }

    @Override
    protected Catalog openAnother() throws Exception {
        return open();
    }
}
