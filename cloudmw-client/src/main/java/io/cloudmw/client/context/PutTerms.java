package io.cloudmw.client.context;

import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.PutCondition;
import io.cloudmw.core.model.lock.LockClaim;
import java.util.List;
import java.util.Optional;

/**
 * The terms of a put's commit. Immutable.
 *
 * @param condition the version that the path must name; empty: the version it names when the put begins
 * @param locks those that are not released must be held
 * @param attributes given to the file if the put creates it
 */
public record PutTerms(Optional<PutCondition> condition, List<RemoteLock> locks, Attributes attributes) {
    /** No condition, no lock, no attributes. */
    public static final PutTerms NONE = new PutTerms(Optional.empty(), List.of(), Attributes.NONE);

    public PutTerms {
        locks = List.copyOf(locks);
    }

    /** The same terms, with this condition. */
    public PutTerms with(PutCondition other) {
        return new PutTerms(Optional.of(other), locks, attributes);
    }

    /** The claims of the locks that are not released now. */
    public List<LockClaim> claims() {
        return locks.stream()
                .filter(lock -> !lock.isReleased())
                .map(RemoteLock::claim)
                .toList();
    }
}
