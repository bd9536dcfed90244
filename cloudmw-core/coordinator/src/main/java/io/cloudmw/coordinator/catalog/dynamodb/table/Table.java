package io.cloudmw.coordinator.catalog.dynamodb.table;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactGetItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * The requests to the table; reads are strongly consistent. The SDK retries requests without an answer. Safe for any
 * thread.
 */
public final class Table implements Closeable {
    /** The most items that DynamoDB takes in one transaction, or one batch of reads. */
    public static final int MAX_ITEMS = 100;

    /** The most items that DynamoDB takes in one batch of writes. */
    private static final int MAX_DELETES = 25;

    private final DynamoDbClient client;
    private final String name;

    Table(DynamoDbClient client, String name) {
        this.client = client;
        this.name = name;
    }

    public String name() {
        return name;
    }

    /** A request to the SDK. */
    @FunctionalInterface
    private interface Request<T> {
        T send();
    }

    private <T> T send(Request<T> request) throws CloudMwException {
        try {
            return request.send();
        } catch (SdkException e) {
            throw DynamoDbErrors.translate(name, e);
        }
    }

    public Optional<Item> get(ItemKey key) throws CloudMwException {
        Map<String, AttributeValue> item = send(() -> client.getItem(
                        get -> get.tableName(name).key(key.attributes()).consistentRead(true)))
                .item();
        return item.isEmpty() ? Optional.empty() : Optional.of(Item.read(item));
    }

    /**
     * Returns the existing ones among at most {@value #MAX_ITEMS} items.
     *
     * @throws TransactionConflict when the table lacks capacity for all of them at the moment
     */
    public Map<ItemKey, Item> getAll(List<ItemKey> keys) throws TransactionConflict, CloudMwException {
        KeysAndAttributes wanted = KeysAndAttributes.builder()
                .keys(keys.stream().map(ItemKey::attributes).toList())
                .consistentRead(true)
                .build();
        Map<ItemKey, Item> found = new HashMap<>();
        Map<String, KeysAndAttributes> open = Map.of(name, wanted);
        while (!open.isEmpty()) {
            Map<String, KeysAndAttributes> asked = open;
            BatchGetItemResponse answer = send(() -> client.batchGetItem(get -> get.requestItems(asked)));
            List<Map<String, AttributeValue>> items = answer.responses().getOrDefault(name, List.of());
            for (Map<String, AttributeValue> attributes : items) {
                Item item = Item.read(attributes);
                found.put(item.key(), item);
            }
            open = answer.unprocessedKeys();
            if (items.isEmpty() && !open.isEmpty()) {
                throw new TransactionConflict("ProvisionedThroughputExceeded");
            }
        }
        return found;
    }

    /** Returns the first items of a range, in order. */
    public List<Item> query(KeyRange range, int limit) throws CloudMwException {
        return query(range, limit, "");
    }

    /**
     * Returns the first items of a range, in order.
     *
     * @param only the attributes to read, separated by commas, keys included; empty: all
     */
    public List<Item> query(KeyRange range, int limit, String only) throws CloudMwException {
        List<Item> found = new ArrayList<>();
        Map<String, AttributeValue> after = Map.of();
        do {
            QueryRequest.Builder query = QueryRequest.builder()
                    .tableName(name)
                    .keyConditionExpression(range.condition())
                    .expressionAttributeValues(range.values())
                    .consistentRead(true);
            if (limit < Integer.MAX_VALUE) {
                query.limit(limit - found.size());
            }
            if (!only.isEmpty()) {
                query.projectionExpression(only);
            }
            if (!after.isEmpty()) {
                query.exclusiveStartKey(after);
            }
            QueryResponse page = send(() -> client.query(query.build()));
            page.items().forEach(item -> found.add(Item.read(item)));
            after = page.lastEvaluatedKey();
        } while (!after.isEmpty() && found.size() < limit);
        return found;
    }

    /** Returns all items of a short range, in order. */
    public List<Item> queryAll(KeyRange range) throws CloudMwException {
        return query(range, Integer.MAX_VALUE);
    }

    /**
     * Makes all of these changes, or none.
     *
     * @param token identifies this transaction, so that a repeated request takes effect once
     * @throws TransactionConflict when a condition does not hold, or another transaction changes one of the items now
     */
    public void transact(String token, List<TransactWriteItem> changes) throws TransactionConflict, CloudMwException {
        try {
            client.transactWriteItems(write -> write.transactItems(changes).clientRequestToken(token));
        } catch (TransactionCanceledException e) {
            throw DynamoDbErrors.cancelled(name, e);
        } catch (SdkException e) {
            throw DynamoDbErrors.translate(name, e);
        }
    }

    /**
     * Reads items as they are at one moment; missing ones are empty.
     *
     * @throws TransactionConflict when another transaction changes one of them now
     */
    public List<Map<String, AttributeValue>> snapshot(List<ItemKey> keys, String only)
            throws TransactionConflict, CloudMwException {
        List<TransactGetItem> gets = keys.stream()
                .map(key -> TransactGetItem.builder()
                        .get(get -> get.tableName(name).key(key.attributes()).projectionExpression(only))
                        .build())
                .toList();
        try {
            return client.transactGetItems(get -> get.transactItems(gets)).responses().stream()
                    .map(ItemResponse::item)
                    .toList();
        } catch (TransactionCanceledException e) {
            throw DynamoDbErrors.cancelled(name, e);
        } catch (SdkException e) {
            throw DynamoDbErrors.translate(name, e);
        }
    }

    /**
     * Changes one item by an expression.
     *
     * @param condition empty: none
     * @return the item after the change; empty when the condition does not hold
     * @throws TransactionConflict when another transaction changes it now
     */
    public Optional<Item> update(ItemKey key, String update, String condition, Map<String, AttributeValue> values)
            throws TransactionConflict, CloudMwException {
        try {
            return Optional.of(Item.read(client.updateItem(request -> {
                        request.tableName(name)
                                .key(key.attributes())
                                .updateExpression(update)
                                .expressionAttributeValues(values)
                                .returnValues(ReturnValue.ALL_NEW)
                                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.NONE);
                        if (!condition.isEmpty()) {
                            request.conditionExpression(condition);
                        }
                    })
                    .attributes()));
        } catch (ConditionalCheckFailedException e) {
            return Optional.empty();
        } catch (TransactionConflictException e) {
            throw new TransactionConflict("TransactionConflict");
        } catch (SdkException e) {
            throw DynamoDbErrors.translate(name, e);
        }
    }

    /** Removes an item if it is unchanged since it was read. */
    public void deleteIfUnchanged(Item item) throws CloudMwException {
        try {
            client.deleteItem(request -> request.tableName(name)
                    .key(item.key().attributes())
                    .conditionExpression(Item.WRITTEN_BY + " = :was")
                    .expressionAttributeValues(Map.of(":was", AttributeValue.fromS(item.writtenBy()))));
        } catch (ConditionalCheckFailedException | TransactionConflictException e) {
            // The item has changed, or is changing now.
            return;
        } catch (SdkException e) {
            throw DynamoDbErrors.translate(name, e);
        }
    }

    /**
     * Removes items that are no longer written.
     *
     * @throws CloudMwException in addition {@code OVERLOADED} when the table lacks capacity; some items are removed
     *     then
     */
    public void deleteAll(List<ItemKey> keys) throws CloudMwException {
        for (int from = 0; from < keys.size(); from += MAX_DELETES) {
            List<WriteRequest> batch = keys.subList(from, Math.min(keys.size(), from + MAX_DELETES)).stream()
                    .map(key -> WriteRequest.builder()
                            .deleteRequest(delete -> delete.key(key.attributes()))
                            .build())
                    .toList();
            Map<String, List<WriteRequest>> open = Map.of(name, batch);
            while (!open.isEmpty()) {
                Map<String, List<WriteRequest>> asked = open;
                open = send(() -> client.batchWriteItem(write -> write.requestItems(asked)))
                        .unprocessedItems();
                if (open.equals(asked)) {
                    throw new CloudMwException(
                            ErrorCode.OVERLOADED,
                            "catalog table " + name + ": no write capacity at the moment; the caller may retry");
                }
            }
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
