package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.BackupContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the catalog tests of export and recovery against DynamoDB. */
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
