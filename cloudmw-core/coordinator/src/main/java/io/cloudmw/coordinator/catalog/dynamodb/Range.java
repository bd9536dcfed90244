package io.cloudmw.coordinator.catalog.dynamodb;

import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Consecutive items of one partition. */
record Range(String condition, Map<String, AttributeValue> values) {
    private static final String IN_PARTITION = "pk = :pk";

    static Range all(String partition) {
        return of(partition, "", Map.of());
    }

    /** What follows {@code sort}, which may be empty or that of no item. */
    static Range after(String partition, String sort) {
        return sort.isEmpty() ? all(partition) : of(partition, " AND sk > :after", Map.of(":after", sort));
    }

    static Range startingWith(String partition, String prefix) {
        return of(partition, " AND begins_with(sk, :prefix)", Map.of(":prefix", prefix));
    }

    /** From {@code first} to {@code last}, both included. */
    static Range between(String partition, String first, String last) {
        return of(partition, " AND sk BETWEEN :first AND :last", Map.of(":first", first, ":last", last));
    }

    /** The part of this one, which has a first and a last, that begins here. */
    Range from(String first) {
        Map<String, AttributeValue> changed = new HashMap<>(values);
        changed.put(":first", AttributeValue.fromS(first));
        return new Range(condition, changed);
    }

    private static Range of(String partition, String condition, Map<String, String> texts) {
        Map<String, AttributeValue> values = new HashMap<>();
        values.put(":pk", AttributeValue.fromS(partition));
        texts.forEach((name, text) -> values.put(name, AttributeValue.fromS(text)));
        return new Range(IN_PARTITION + condition, values);
    }
}
