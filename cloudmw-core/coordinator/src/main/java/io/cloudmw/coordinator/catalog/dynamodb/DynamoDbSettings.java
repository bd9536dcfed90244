package io.cloudmw.coordinator.catalog.dynamodb;

import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which table a catalog is kept in.
 *
 * @param region empty: as AWS tools find it (variable, profile, instance)
 * @param endpoint empty: the region's own
 * @param create whether the table is made, billed on demand, when there is none
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
