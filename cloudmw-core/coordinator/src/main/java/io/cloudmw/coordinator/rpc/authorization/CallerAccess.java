package io.cloudmw.coordinator.rpc.authorization;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.coordinator.grant.Subjects;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.tls.ProcessIdentity;
import java.util.Optional;

/**
 * The decisions about the caller of the running call for which its request alone does not suffice. Safe for any thread;
 * blocks on the catalog.
 */
public final class CallerAccess {
    private final Authorizer authorizer;
    private final Subjects subjects;
    private final Catalog catalog;

    public CallerAccess(Authorizer authorizer, Subjects subjects, Catalog catalog) {
        this.authorizer = authorizer;
        this.subjects = subjects;
        this.catalog = catalog;
    }

    /** Returns whether the caller sees a volume in lists. */
    public boolean sees(VolumeName volume) throws CloudMwException {
        return authorizer.sees(CallerIdentity.current(), volume);
    }

    /**
     * Requires that a version belongs to the path under which the caller names it: it was committed there, or is there
     * now. Otherwise the caller needs the right to read the path where it was committed. A version that does not exist
     * passes.
     *
     * @throws CloudMwException {@code PERMISSION_DENIED}
     */
    public void requireVersion(FilePath file, Optional<VersionId> version) throws CloudMwException {
        Optional<ProcessIdentity> caller = CallerIdentity.current();
        if (version.isEmpty() || authorizer.readsAll(caller)) {
            return;
        }
        Optional<FilePath> committed = catalog.version(version.get()).map(FileVersion::file);
        boolean isThere = committed.isEmpty()
                || committed.get().equals(file)
                || catalog.current(file)
                        .filter(now -> now.id().equals(version.get()))
                        .isPresent();
        if (!isThere) {
            authorizer.requireRight(
                    caller,
                    Right.READ,
                    committed.get().volume(),
                    committed.get().path());
        }
    }

    /** Removes the rights in a volume that was deleted. */
    public void forget(VolumeName volume) throws CloudMwException {
        subjects.forget(volume);
    }
}
