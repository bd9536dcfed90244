package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * One attempt at a change: what was read, and what is to be written if that is still so. An item that was read is written
 * on condition that nobody wrote it since; one that was not is written as it is. Reads see what is to be written. Confined
 * to one thread.
 */
final class Transaction {
    private static final String ABSENT = "attribute_not_exists(" + Key.PARTITION + ")";
    private static final String UNCHANGED = Item.WRITTEN_BY + " = :was";

    private final Table table;
    /** Names this attempt, in the request and in all it writes. */
    private final String id = UUID.randomUUID().toString();

    /** As the table has them; empty: it has none. */
    private final Map<Key, Optional<Item>> read = new HashMap<>();

    /** As they will be; empty: removed. */
    private final Map<Key, Optional<Item>> written = new HashMap<>();

    private final Map<Key, TransactWriteItem> changes = new LinkedHashMap<>();
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> atEnd = new ArrayList<>();

    Transaction(Table table) {
        this.table = table;
    }

    Table table() {
        return table;
    }

    String id() {
        return id;
    }

    /** What is under this key, as far as this transaction is concerned. */
    Optional<Item> get(Key key) throws CloudMwException {
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
    void load(List<Key> keys) throws Conflict, CloudMwException {
        List<Key> unknown =
                keys.stream().filter(key -> !read.containsKey(key)).distinct().toList();
        if (!unknown.isEmpty()) {
            Map<Key, Item> found = table.getAll(unknown);
            unknown.forEach(key -> read.put(key, Optional.ofNullable(found.get(key))));
        }
    }

    /** Takes note of an item that was read otherwise. */
    void seen(Item item) {
        seen(item.key(), Optional.of(item));
    }

    /** Takes note of what was read otherwise. */
    void seen(Key key, Optional<Item> item) {
        read.put(key, item);
    }

    void put(Item item) {
        Item signed = item.with(Item.WRITTEN_BY, id);
        Key key = item.key();
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

    void delete(Key key) {
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

    /** Goes on only if this holds of an item; nothing to do for one that is written: that depends on all that was read of it. */
    void require(Key key, String condition, Map<String, AttributeValue> values) {
        changes.computeIfAbsent(
                key,
                k -> TransactWriteItem.builder()
                        .conditionCheck(check -> check.tableName(table.name())
                                .key(key.attributes())
                                .conditionExpression(condition)
                                .expressionAttributeValues(values))
                        .build());
    }

    /** Changes an item, that need not have been read, by an expression which has {@code :by} set as its writer. */
    void update(Key key, String update, String condition, Map<String, AttributeValue> values) {
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

    private @Nullable String condition(Key key) {
        Optional<Item> known = read.get(key);
        if (known == null) {
            return null;
        }
        return known.isPresent() ? UNCHANGED : ABSENT;
    }

    private @Nullable Map<String, AttributeValue> conditionValues(Key key) {
        Optional<Item> known = read.get(key);
        return known == null || known.isEmpty()
                ? null
                : Map.of(":was", AttributeValue.fromS(known.get().writtenBy()));
    }

    /** Has this done once the changes are made. */
    void afterCommit(Runnable action) {
        afterCommit.add(action);
    }

    /** Has this done at the end of this attempt, whatever became of it; before what is done {@link #afterCommit}. */
    void atEnd(Runnable action) {
        atEnd.add(action);
    }

    /** The attempt is over. */
    void end(boolean committed) {
        atEnd.forEach(Runnable::run);
        if (committed) {
            afterCommit.forEach(Runnable::run);
        }
    }

    /** Nothing is to be changed after all. */
    void dropChanges() {
        changes.clear();
        written.clear();
        afterCommit.clear();
    }

    /** Whether this item is written or removed. */
    boolean changes(Key key) {
        return written.containsKey(key);
    }

    /** Those keys of items that are written or removed whose partitions begin so. */
    List<Key> written(String prefix) {
        return written.keySet().stream()
                .filter(key -> key.partition().startsWith(prefix))
                .toList();
    }

    /** An item as it was read; empty: it was not there, as what is in a directory that this transaction makes. */
    Optional<Item> before(Key key) {
        return read.getOrDefault(key, Optional.empty());
    }

    /** Whether it was looked for, be it there or not. */
    boolean hasRead(Key key) {
        return read.containsKey(key);
    }

    boolean removes(Key key) {
        return written.getOrDefault(key, Optional.of(Item.at(key))).isEmpty();
    }

    /** Whether something is put into this partition. */
    boolean putsInto(String partition) {
        return written.entrySet().stream()
                .anyMatch(entry -> entry.getValue().isPresent()
                        && entry.getKey().partition().equals(partition));
    }

    /** Items it names so far. */
    int size() {
        return changes.size();
    }

    /**
     * Makes the changes, all at once.
     *
     * @throws Conflict when what was read is not so any more: nothing was changed
     */
    void commit() throws Conflict, CloudMwException {
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
     * Whether all that was read was so at one moment: then so was what was concluded from it. All is read once more: what is
     * as it was, was so in between, and so was all of it when the last had been read. Unlike a transaction that reads, this is
     * not cancelled by one that only requires something of these items, as each that puts a name into a directory does.
     */
    boolean wasSoAtOnce() throws Conflict, CloudMwException {
        List<Key> keys = new ArrayList<>(read.keySet());
        if (keys.size() < 2) {
            return true;
        }
        for (int from = 0; from < keys.size(); from += Table.MAX_ITEMS) {
            List<Key> some = keys.subList(from, Math.min(keys.size(), from + Table.MAX_ITEMS));
            Map<Key, Item> now = table.getAll(some);
            for (Key key : some) {
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
