package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.UpkeepContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the upkeep tests against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbUpkeepIT extends UpkeepContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbUpkeepIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
