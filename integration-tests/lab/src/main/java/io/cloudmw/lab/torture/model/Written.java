package io.cloudmw.lab.torture.model;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What one put wrote: the same under whatever path it comes to be. Belongs to the {@link Model}, under its lock. */
final class Written {
    private final Content content;
    private @Nullable VersionId version;

    Written(Content content) {
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
