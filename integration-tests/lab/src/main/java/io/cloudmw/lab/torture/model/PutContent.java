package io.cloudmw.lab.torture.model;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The content of one put: the same under every path that it is renamed to. Belongs to the {@link Model}, under its lock. */
final class PutContent {
    private final Content content;
    private @Nullable VersionId version;

    PutContent(Content content) {
        this.content = content;
    }

    Content content() {
        return content;
    }

    /** Empty while nobody has been told. */
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
