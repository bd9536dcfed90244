package io.cloudmw.coordinator.catalog.dynamodb.table;

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

/** The opening of the table: finds or creates it, and checks its schema version. */
public final class TableSchema {
    /** Version 2 adds lent versions. */
    static final int VERSION = 2;

    private static final List<KeySchemaElement> KEYS =
            List.of(element(ItemKey.PARTITION, KeyType.HASH), element(ItemKey.SORT, KeyType.RANGE));

    private TableSchema() {}

    private static KeySchemaElement element(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }

    /**
     * Opens or creates the table.
     *
     * @throws CloudMwException {@code NOT_FOUND} when there is no table and none may be created;
     *     {@code INVALID_ARGUMENT} when the table is not a catalog; {@code VERSION_UNSUPPORTED} when a newer release
     *     wrote it
     */
    public static Table open(DynamoDbClient client, DynamoDbSettings settings) throws CloudMwException {
        try {
            if (settings.create()) {
                create(client, settings.table());
            }
            List<KeySchemaElement> keys = client.describeTable(table -> table.tableName(settings.table()))
                    .table()
                    .keySchema();
            if (!keys.equals(KEYS)) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "catalog table " + settings.table() + ": the table is not a CloudMW catalog; its keys are "
                                + keys);
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
                    .attributeDefinitions(text(ItemKey.PARTITION), text(ItemKey.SORT)));
        } catch (ResourceInUseException e) {
            // The table exists already, or another process is creating it.
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
        Optional<Item> found = table.get(KeyLayout.SCHEMA);
        if (found.isEmpty() || found.get().number(Item.SCHEMA) < VERSION) {
            try {
                table.update(
                        KeyLayout.SCHEMA,
                        "SET " + Item.SCHEMA + " = :version",
                        "attribute_not_exists(" + ItemKey.PARTITION + ") OR " + Item.SCHEMA + " < :version",
                        Map.of(":version", Item.number(VERSION)));
            } catch (TransactionConflict e) {
                // Another process writes it.
            }
            found = table.get(KeyLayout.SCHEMA);
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
