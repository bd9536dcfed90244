package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.CatalogContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the catalog tests against DynamoDB. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbCatalogIT extends CatalogContract {
    private final DynamoDbLocal dynamoDb;

    DynamoDbCatalogIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(DynamoDbLocal.newTable());
    }
}
