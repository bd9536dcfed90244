package io.cloudmw.lab.torture.model;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The content of one put, which keeps its identity under every path it is renamed to. Belongs to the {@link Model},
 * under its lock.
 */
final class PutContent {
    private final Content content;
    private @Nullable VersionId version;

    PutContent(Content content) {
        this.content = content;
    }

    Content content() {
        return content;
    }

    /** Returns the version; empty until an answer names it. */
    Optional<VersionId> version() {
        return Optional.ofNullable(version);
    }

    void is(VersionId id) {
        version = id;
    }

    @Override
    public String toString() {
        return content + ", version " + (version == null ? "unknown" : version);
    }
}
