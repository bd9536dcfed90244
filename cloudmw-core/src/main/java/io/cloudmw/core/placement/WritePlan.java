package io.cloudmw.core.placement;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.StoreStatus;
import java.util.List;

/**
 * The plan for writing a batch of chunks.
 *
 * @param stores every store the placements name
 * @param helpers every helper the placements name, and the owners of their disks
 */
public record WritePlan(
        List<PlacedChunk> placements, List<StoreStatus> stores, List<HelperAddress> helpers, TransferToken token) {
    /** The most owed replicas of a commit: with the longest names they fit one message. */
    public static final int MAX_OWED = 100_000;

    public WritePlan {
        placements = List.copyOf(placements);
        stores = List.copyOf(stores);
        helpers = List.copyOf(helpers);
    }

    /**
     * Checks that a commit may owe so many replicas.
     *
     * @throws CloudMwException {@code QUORUM_NOT_MET} when they are more than {@link #MAX_OWED}
     */
    public static void checkOwed(FilePath file, int owed) throws CloudMwException {
        if (owed > MAX_OWED) {
            throw new CloudMwException(
                    ErrorCode.QUORUM_NOT_MET,
                    file + ": " + owed + " copies of its chunks are owed (expected: <= " + MAX_OWED
                            + "): restore the missing stores");
        }
    }
}
