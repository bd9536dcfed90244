package io.cloudmw.coordinator.catalog.dynamodb;

import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What names an item.
 *
 * @param sort its place in the partition, in the order of UTF-8 bytes; not empty
 */
record Key(String partition, String sort) {
    static final String PARTITION = "pk";
    static final String SORT = "sk";

    Map<String, AttributeValue> attributes() {
        return Map.of(PARTITION, AttributeValue.fromS(partition), SORT, AttributeValue.fromS(sort));
    }
}
