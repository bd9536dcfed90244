package io.cloudmw.coordinator.catalog.dynamodb.table;

import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The table of a catalog.
 *
 * @param region empty: from the places of AWS tools (variable, profile, instance)
 * @param endpoint empty: the region's own
 * @param create whether a missing table is created, billed on demand
 */
public record DynamoDbSettings(String table, Optional<String> region, Optional<URI> endpoint, boolean create) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{3,255}");

    public DynamoDbSettings {
        if (!NAME.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "table: \"" + table + "\" (expected: 3 to 255 of letters, digits, '_', '.' and '-')");
        }
    }
}
