package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.upkeep.copy.CopyWays;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.Candidate;
import io.cloudmw.core.upkeep.Task;
import java.util.List;

/** The stores and helpers, as the coordinator knows them. Safe for any thread. */
public interface Fleet {
    /**
     * All stores, with what keeps each from taking chunks.
     *
     * @throws CloudMwException when the catalog cannot be asked
     */
    List<Candidate> stores() throws CloudMwException;

    /** What chunks may still use of a store; {@code Long.MAX_VALUE}: nobody knows of a limit. */
    long roomBytes(Candidate store);

    /** The bytes that a store must keep free besides; zero: not known. */
    long reserveBytes(Candidate store);

    /** Whether a store can be reached. */
    boolean isAvailable(Candidate store);

    /** Helpers that are alive. */
    List<HelperAddress> live();

    boolean isAlive(HelperId helper);

    /**
     * Returns whether a store that stays away is given up in the end, and its copies made elsewhere: a disk, and a
     * bucket that does not
     * exist any more. A bucket that only keeps everybody out keeps what is in it.
     */
    default boolean canBeLost(Candidate store) {
        return store.store().owner().isPresent();
    }

    /** Returns whether a helper can use a store, as far as it has said; a disk is reached through its owner. */
    default boolean canUse(HelperId helper, Store store) {
        return true;
    }

    /** Returns whether a helper can do a task: use its store, and one of those that a copy comes from. */
    default boolean canDo(HelperId helper, Task task) {
        return task instanceof Task.Copy copy
                ? CopyWays.canMake(this::canUse, helper, copy.sources(), task.store())
                : canUse(helper, task.store());
    }

    /** Which copies the helpers that are alive now can make. */
    default CopyWays copyWays() {
        return new CopyWays(live().stream().map(HelperAddress::id).toList(), this::canUse);
    }
}
