package io.cloudmw.core.audit;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import java.nio.file.Path;

/**
 * The settings of a file of the audit trail. See {@code docs/configuration.md}.
 *
 * @param fileBytes the size from which on a file is followed by a new one
 * @param files the number of former files that are kept
 */
public record AuditFileOptions(Path file, long fileBytes, int files) {
    private static final long MIB = 1 << 20;

    /**
     * Reads the settings of a process.
     *
     * @param process the first part of the settings' names
     */
    public static AuditFileOptions read(Settings settings, String process, Path file) throws CloudMwException {
        return new AuditFileOptions(
                settings.path(process + ".audit.file", file),
                settings.size(process + ".audit.file-size", 64 * MIB, MIB, 1L << 40),
                settings.integer(process + ".audit.files", 15, 1, 1000));
    }
}
