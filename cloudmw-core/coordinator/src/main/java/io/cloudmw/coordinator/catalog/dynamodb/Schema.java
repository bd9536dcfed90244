package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** The table: found or made, and of this release's form. */
final class Schema {
    /** 2: versions may be lent. */
    static final int VERSION = 2;

    private static final List<KeySchemaElement> KEYS =
            List.of(element(Key.PARTITION, KeyType.HASH), element(Key.SORT, KeyType.RANGE));

    private Schema() {}

    private static KeySchemaElement element(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }

    /**
     * Makes sure of the table.
     *
     * @throws CloudMwException {@code NOT_FOUND} when there is none and none is to be made; {@code INVALID_ARGUMENT} when it
     *     is not a catalog's; {@code VERSION_UNSUPPORTED} when a newer release wrote it
     */
    static Table open(DynamoDbClient client, DynamoDbSettings settings) throws CloudMwException {
        try {
            if (settings.create()) {
                create(client, settings.table());
            }
            List<KeySchemaElement> keys = client.describeTable(table -> table.tableName(settings.table()))
                    .table()
                    .keySchema();
            if (!keys.equals(KEYS)) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT, "catalog table " + settings.table() + ": not a catalog's: " + keys);
            }
        } catch (ResourceNotFoundException e) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND,
                    "catalog table " + settings.table() + " does not exist (coordinator.catalog-create=true makes it)",
                    e);
        } catch (SdkException e) {
            throw DynamoDbErrors.translate(settings.table(), e);
        }
        Table table = new Table(client, settings.table());
        check(table);
        return table;
    }

    private static void create(DynamoDbClient client, String table) {
        try {
            client.createTable(request -> request.tableName(table)
                    .billingMode(BillingMode.PAY_PER_REQUEST)
                    .keySchema(KEYS)
                    .attributeDefinitions(text(Key.PARTITION), text(Key.SORT)));
        } catch (ResourceInUseException e) {
            // There already, or somebody is making it.
        }
        client.waiter().waitUntilTableExists(wait -> wait.tableName(table));
    }

    private static AttributeDefinition text(String name) {
        return AttributeDefinition.builder()
                .attributeName(name)
                .attributeType(ScalarAttributeType.S)
                .build();
    }

    private static void check(Table table) throws CloudMwException {
        Optional<Item> found = table.get(Keys.SCHEMA);
        if (found.isEmpty() || found.get().number(Item.SCHEMA) < VERSION) {
            try {
                table.update(
                        Keys.SCHEMA,
                        "SET " + Item.SCHEMA + " = :version",
                        "attribute_not_exists(" + Key.PARTITION + ") OR " + Item.SCHEMA + " < :version",
                        Map.of(":version", Item.number(VERSION)));
            } catch (Conflict e) {
                // Somebody else writes it.
            }
            found = table.get(Keys.SCHEMA);
        }
        long version = found.isPresent() ? found.get().number(Item.SCHEMA) : VERSION;
        if (version > VERSION) {
            throw new CloudMwException(
                    ErrorCode.VERSION_UNSUPPORTED,
                    "catalog table " + table.name() + ": schema version " + version
                            + " was written by a newer release (expected: <= " + VERSION + ")");
        }
    }
}
