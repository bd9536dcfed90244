package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SubjectsContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of subjects against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbSubjectsIT extends SubjectsContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbSubjectsIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
