package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ConsistencyContract;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the consistency tests of names through three catalogs on one table, as three coordinators have them. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbConsistencyIT extends ConsistencyContract {
    private final DynamoDbLocal dynamoDb;
    private final String table = DynamoDbLocal.newTable();

    DynamoDbConsistencyIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Override
    protected Catalog open() throws Exception {
        return dynamoDb.open(table);
    }

    @Override
    protected List<Catalog> others() throws Exception {
        return List.of(open(), open());
    }
}
