package io.cloudmw.core.model;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** The name of one version of one file: 32 hexadecimal digits, chosen by its writer and never used twice. */
public record VersionId(String value) {
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{32}");

    public VersionId {
        if (!HEX.matcher(value).matches()) {
            throw new IllegalArgumentException("version: \"" + value + "\" (expected: 32 of 0-9, a-f)");
        }
    }

    /** A version id that no other version has. */
    public static VersionId random() {
        return new VersionId(UUID.randomUUID().toString().replace("-", ""));
    }

    /** A file's version in a message: {@code version 0f1e...}, or {@code absent} when there is no such file. */
    public static String describe(Optional<VersionId> version) {
        return version.map(id -> "version " + id).orElse("absent");
    }

    @Override
    public String toString() {
        return value;
    }
}
