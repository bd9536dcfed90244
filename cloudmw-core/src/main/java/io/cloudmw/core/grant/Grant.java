package io.cloudmw.core.grant;

import io.cloudmw.core.model.VolumeName;
import java.util.Set;

/** The rights of a subject in one scope. */
public record Grant(GrantScope scope, Set<Right> rights) {
    public Grant {
        rights = Set.copyOf(rights);
        if (rights.isEmpty()) {
            throw new IllegalArgumentException("rights: none (expected: some of read, write, share, admin)");
        }
    }

    /** Returns whether it gives this right to a path. */
    public boolean gives(Right right, VolumeName volume, String path) {
        return scope.contains(volume, path) && rights.stream().anyMatch(had -> had.includes(right));
    }

    /** Returns whether it gives at least the rights of another grant in the same scope. */
    boolean covers(Grant other) {
        return scope.equals(other.scope)
                && other.rights.stream().allMatch(right -> rights.stream().anyMatch(had -> had.includes(right)));
    }
}
