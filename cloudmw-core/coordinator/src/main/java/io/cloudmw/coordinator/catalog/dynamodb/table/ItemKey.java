package io.cloudmw.coordinator.catalog.dynamodb.table;

import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The primary key of an item.
 *
 * @param sort its place in the partition, in the order of UTF-8 bytes; not empty
 */
public record ItemKey(String partition, String sort) {
    public static final String PARTITION = "pk";
    static final String SORT = "sk";

    public Map<String, AttributeValue> attributes() {
        return Map.of(PARTITION, AttributeValue.fromS(partition), SORT, AttributeValue.fromS(sort));
    }
}
