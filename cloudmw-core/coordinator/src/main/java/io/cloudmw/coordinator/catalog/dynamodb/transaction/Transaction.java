package io.cloudmw.coordinator.catalog.dynamodb.transaction;

import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * A single attempt at a change: the items read, and the items to write if those are unchanged. An item that was read is
 * written on condition that it is unchanged; others are written unconditionally. Reads see the attempt's own writes.
 * Confined to one thread.
 */
public final class Transaction {
    private static final String ABSENT = "attribute_not_exists(" + ItemKey.PARTITION + ")";
    private static final String UNCHANGED = Item.WRITTEN_BY + " = :was";

    private final Table table;
    /** The id of this attempt, in the request and in all items it writes. */
    private final String id = UUID.randomUUID().toString();

    /** The items as the table has them; empty: there is none. */
    private final Map<ItemKey, Optional<Item>> read = new HashMap<>();

    /** The items as they will be; empty: removed. */
    private final Map<ItemKey, Optional<Item>> written = new HashMap<>();

    private final Map<ItemKey, TransactWriteItem> changes = new LinkedHashMap<>();
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> atEnd = new ArrayList<>();

    Transaction(Table table) {
        this.table = table;
    }

    public Table table() {
        return table;
    }

    public String id() {
        return id;
    }

    /** Returns the item under this key, including the attempt's own writes. */
    public Optional<Item> get(ItemKey key) throws CloudMwException {
        Optional<Item> will = written.get(key);
        if (will != null) {
            return will;
        }
        Optional<Item> known = read.get(key);
        if (known == null) {
            known = table.get(key);
            read.put(key, known);
        }
        return known;
    }

    /** Reads several items at once, for {@link #get}. */
    public void load(List<ItemKey> keys) throws TransactionConflict, CloudMwException {
        List<ItemKey> unknown =
                keys.stream().filter(key -> !read.containsKey(key)).distinct().toList();
        if (!unknown.isEmpty()) {
            Map<ItemKey, Item> found = table.getAll(unknown);
            unknown.forEach(key -> read.put(key, Optional.ofNullable(found.get(key))));
        }
    }

    /** Records an item that was read by another request. */
    public void seen(Item item) {
        seen(item.key(), Optional.of(item));
    }

    /** Records the result of another request. */
    public void seen(ItemKey key, Optional<Item> item) {
        read.put(key, item);
    }

    public void put(Item item) {
        Item signed = item.with(Item.WRITTEN_BY, id);
        ItemKey key = item.key();
        changes.put(
                key,
                TransactWriteItem.builder()
                        .put(put -> put.tableName(table.name())
                                .item(signed.attributes())
                                .conditionExpression(condition(key))
                                .expressionAttributeValues(conditionValues(key)))
                        .build());
        written.put(key, Optional.of(signed));
    }

    public void delete(ItemKey key) {
        changes.put(
                key,
                TransactWriteItem.builder()
                        .delete(delete -> delete.tableName(table.name())
                                .key(key.attributes())
                                .conditionExpression(condition(key))
                                .expressionAttributeValues(conditionValues(key)))
                        .build());
        written.put(key, Optional.empty());
    }

    /**
     * Requires a condition of an item. A written item needs none, since its write depends on all that was read of it.
     */
    public void require(ItemKey key, String condition, Map<String, AttributeValue> values) {
        changes.computeIfAbsent(
                key,
                k -> TransactWriteItem.builder()
                        .conditionCheck(check -> check.tableName(table.name())
                                .key(key.attributes())
                                .conditionExpression(condition)
                                .expressionAttributeValues(values))
                        .build());
    }

    /** Changes an item, read or not, by an expression that sets its writer to {@code :by}. */
    public void update(ItemKey key, String update, String condition, Map<String, AttributeValue> values) {
        Map<String, AttributeValue> all = new HashMap<>(values);
        all.put(":by", AttributeValue.fromS(id));
        changes.put(
                key,
                TransactWriteItem.builder()
                        .update(change -> change.tableName(table.name())
                                .key(key.attributes())
                                .updateExpression(update)
                                .conditionExpression(condition)
                                .expressionAttributeValues(all))
                        .build());
    }

    private @Nullable String condition(ItemKey key) {
        Optional<Item> known = read.get(key);
        if (known == null) {
            return null;
        }
        return known.isPresent() ? UNCHANGED : ABSENT;
    }

    private @Nullable Map<String, AttributeValue> conditionValues(ItemKey key) {
        Optional<Item> known = read.get(key);
        return known == null || known.isEmpty()
                ? null
                : Map.of(":was", AttributeValue.fromS(known.get().writtenBy()));
    }

    /** Adds an action that runs after the commit. */
    public void afterCommit(Runnable action) {
        afterCommit.add(action);
    }

    /** Adds an action that runs at the end of this attempt, committed or not, before those of {@link #afterCommit}. */
    public void atEnd(Runnable action) {
        atEnd.add(action);
    }

    /** Ends the attempt. */
    void end(boolean committed) {
        atEnd.forEach(Runnable::run);
        if (committed) {
            afterCommit.forEach(Runnable::run);
        }
    }

    /** Drops all changes of the attempt. */
    public void dropChanges() {
        changes.clear();
        written.clear();
        afterCommit.clear();
    }

    /** Returns whether this item is written or removed. */
    public boolean changes(ItemKey key) {
        return written.containsKey(key);
    }

    /** Returns the keys of written or removed items whose partitions have this prefix. */
    public List<ItemKey> written(String prefix) {
        return written.keySet().stream()
                .filter(key -> key.partition().startsWith(prefix))
                .toList();
    }

    /**
     * Returns an item as it was read; empty when it did not exist, as entries of a directory that this transaction
     * creates.
     */
    public Optional<Item> before(ItemKey key) {
        return read.getOrDefault(key, Optional.empty());
    }

    /** Returns whether the item was read, existing or not. */
    public boolean hasRead(ItemKey key) {
        return read.containsKey(key);
    }

    public boolean removes(ItemKey key) {
        return written.getOrDefault(key, Optional.of(Item.at(key))).isEmpty();
    }

    /** Returns whether an item is put into this partition. */
    public boolean putsInto(String partition) {
        return written.entrySet().stream()
                .anyMatch(entry -> entry.getValue().isPresent()
                        && entry.getKey().partition().equals(partition));
    }

    /** Returns how many items the transaction names so far. */
    public int size() {
        return changes.size();
    }

    /**
     * Makes the changes atomically.
     *
     * @throws TransactionConflict when an item that was read has changed; then nothing is changed
     */
    void commit() throws TransactionConflict, CloudMwException {
        if (changes.isEmpty()) {
            return;
        }
        if (changes.size() > Table.MAX_ITEMS) {
            throw new CloudMwException(
                    ErrorCode.INTERNAL,
                    "catalog: a transaction of " + changes.size() + " items (expected: <= " + Table.MAX_ITEMS + ")");
        }
        table.transact(id, new ArrayList<>(changes.values()));
    }

    /**
     * Returns whether all items that were read existed in that form at one moment, so that conclusions from them hold.
     * All items are read again: each unchanged one was unchanged in between, so all were valid when the last first read
     * ended. Unlike a read transaction, this is not cancelled by transactions that only check conditions of these
     * items, as every put into a directory does.
     */
    public boolean wasSoAtOnce() throws TransactionConflict, CloudMwException {
        return areUnchanged(readSoFar());
    }

    /** Returns the keys of the items that were read. */
    public Set<ItemKey> readSoFar() {
        return Set.copyOf(read.keySet());
    }

    /**
     * Returns whether several items are as they were read, so that they were so at once, when another item was read after
     * them. A single item always was.
     */
    public boolean areUnchanged(Set<ItemKey> some) throws TransactionConflict, CloudMwException {
        List<ItemKey> keys = List.copyOf(some);
        if (keys.size() < 2) {
            return true;
        }
        for (int from = 0; from < keys.size(); from += Table.MAX_ITEMS) {
            List<ItemKey> next = keys.subList(from, Math.min(keys.size(), from + Table.MAX_ITEMS));
            Map<ItemKey, Item> now = table.getAll(next);
            for (ItemKey key : next) {
                String before = writtenBy(read.getOrDefault(key, Optional.empty()));
                if (!before.equals(writtenBy(Optional.ofNullable(now.get(key))))) {
                    return false;
                }
            }
        }
        return true;
    }

    private static String writtenBy(Optional<Item> item) {
        return item.map(Item::writtenBy).orElse("");
    }
}
