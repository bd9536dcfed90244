package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.LeasesContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the lease tests against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbLeasesIT extends LeasesContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbLeasesIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
