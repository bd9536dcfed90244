package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.FleetReportsContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of a shared catalog's fleet board against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbFleetReportsIT extends FleetReportsContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbFleetReportsIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
