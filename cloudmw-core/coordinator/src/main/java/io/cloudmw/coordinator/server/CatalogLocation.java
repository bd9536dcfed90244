package io.cloudmw.coordinator.server;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.dynamodb.DynamoDbCatalog;
import io.cloudmw.coordinator.catalog.dynamodb.table.DynamoDbSettings;
import io.cloudmw.coordinator.catalog.sqlite.SqliteCatalog;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** The location of a coordinator's catalog. */
public sealed interface CatalogLocation {
    String SQLITE = "sqlite";
    String DYNAMODB = "dynamodb:";

    /** Opens the catalog, which the caller closes. */
    Catalog open() throws CloudMwException;

    /** A file of this process alone. */
    record SqliteFile(Path file) implements CatalogLocation {
        @Override
        public Catalog open() throws CloudMwException {
            return SqliteCatalog.open(file);
        }
    }

    /** A table that other coordinators may share. */
    record DynamoDbTable(DynamoDbSettings settings) implements CatalogLocation {
        @Override
        public Catalog open() throws CloudMwException {
            return DynamoDbCatalog.open(settings);
        }
    }

    /** Returns the catalog file in a coordinator's directory. */
    static CatalogLocation in(Path dataDirectory) {
        return new SqliteFile(dataDirectory.resolve("catalog.db"));
    }

    /**
     * Reads {@code coordinator.catalog} and the settings that belong to it.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT}, also when a table's settings are given for a file
     */
    static CatalogLocation read(Settings settings) throws CloudMwException {
        Path data = directory(settings);
        Optional<String> region =
                settings.optional("coordinator.catalog-region", "a region like eu-west-1", text -> text);
        Optional<URI> endpoint = settings.optional(
                "coordinator.catalog-endpoint", "a URL like http://127.0.0.1:8000", CatalogLocation::endpoint);
        boolean create = settings.flag("coordinator.catalog-create", false);
        Optional<String> table = settings.read(
                "coordinator.catalog", SQLITE, SQLITE + " or " + DYNAMODB + "TABLE", CatalogLocation::table);
        if (table.isPresent()) {
            try {
                return new DynamoDbTable(new DynamoDbSettings(table.get(), region, endpoint, create));
            } catch (IllegalArgumentException e) {
                throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "coordinator.catalog: " + e.getMessage(), e);
            }
        }
        if (region.isPresent() || endpoint.isPresent() || create) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "coordinator.catalog: " + SQLITE + " has no region, endpoint or table to create (expected: "
                            + DYNAMODB + "TABLE)");
        }
        return in(data);
    }

    /** Returns the directory of the coordinator's own files. */
    static Path directory(Settings settings) throws CloudMwException {
        return settings.path("coordinator.data-dir", Path.of("cloudmw-data", "coordinator"));
    }

    /** Returns the table's name; empty for a file. */
    private static Optional<String> table(String text) {
        if (text.equals(SQLITE)) {
            return Optional.empty();
        }
        if (!text.startsWith(DYNAMODB)) {
            throw new IllegalArgumentException(text);
        }
        return Optional.of(text.substring(DYNAMODB.length()));
    }

    private static URI endpoint(String text) {
        if (!text.matches("https?://[^/?#\\s]+/?")) {
            throw new IllegalArgumentException(text);
        }
        return URI.create(text);
    }
}
