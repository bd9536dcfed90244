package io.cloudmw.coordinator.server;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import java.nio.file.Path;

/**
 * The settings of the file of the audit trail. See {@code docs/configuration.md}.
 *
 * @param fileBytes the size from which on a file is followed by a new one
 * @param files the number of former files that are kept
 */
public record AuditOptions(Path file, long fileBytes, int files) {
    private static final long MIB = 1 << 20;

    /**
     * Reads the settings.
     *
     * @param directory has the default file
     */
    static AuditOptions read(Settings settings, Path directory) throws CloudMwException {
        return new AuditOptions(
                settings.path("coordinator.audit.file", directory.resolve("audit.jsonl")),
                settings.size("coordinator.audit.file-size", 64 * MIB, MIB, 1L << 40),
                settings.integer("coordinator.audit.files", 15, 1, 1000));
    }
}
