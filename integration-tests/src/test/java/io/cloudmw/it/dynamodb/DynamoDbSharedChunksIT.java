package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SharedChunksContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of chunks that versions share against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbSharedChunksIT extends SharedChunksContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbSharedChunksIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
