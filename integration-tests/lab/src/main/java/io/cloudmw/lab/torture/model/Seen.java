package io.cloudmw.lab.torture.model;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;

/** A version as an answer described it. */
public record Seen(VersionId version, long sizeBytes) {
    public static Seen of(FileVersion version) {
        return new Seen(version.id(), version.sizeBytes());
    }
}
