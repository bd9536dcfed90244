package io.cloudmw.coordinator.catalog.dynamodb.table;

import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A range of consecutive items in one partition. */
public record KeyRange(String condition, Map<String, AttributeValue> values) {
    private static final String IN_PARTITION = "pk = :pk";

    public static KeyRange all(String partition) {
        return of(partition, "", Map.of());
    }

    /** Returns the items after {@code sort}, which may be empty or the key of no item. */
    public static KeyRange after(String partition, String sort) {
        return sort.isEmpty() ? all(partition) : of(partition, " AND sk > :after", Map.of(":after", sort));
    }

    public static KeyRange startingWith(String partition, String prefix) {
        return of(partition, " AND begins_with(sk, :prefix)", Map.of(":prefix", prefix));
    }

    /** Returns the items from {@code first} to {@code last}, both included. */
    public static KeyRange between(String partition, String first, String last) {
        return of(partition, " AND sk BETWEEN :first AND :last", Map.of(":first", first, ":last", last));
    }

    /** Returns the part of this bounded range that begins at {@code first}. */
    public KeyRange from(String first) {
        Map<String, AttributeValue> changed = new HashMap<>(values);
        changed.put(":first", AttributeValue.fromS(first));
        return new KeyRange(condition, changed);
    }

    private static KeyRange of(String partition, String condition, Map<String, String> texts) {
        Map<String, AttributeValue> values = new HashMap<>();
        values.put(":pk", AttributeValue.fromS(partition));
        texts.forEach((name, text) -> values.put(name, AttributeValue.fromS(text)));
        return new KeyRange(IN_PARTITION + condition, values);
    }
}
