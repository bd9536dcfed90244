package io.cloudmw.core.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.placement.Candidate;
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

    /** What a store must keep free besides; zero where nobody knows. */
    long reserveBytes(Candidate store);

    /** Whether a store can be reached. */
    boolean isAvailable(Candidate store);

    /** Helpers that are alive. */
    List<HelperAddress> live();

    boolean isAlive(HelperId helper);
}
