package io.cloudmw.client.write;

import io.cloudmw.client.context.RetryLimits;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.status.StoreStatus;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The calls that ask the coordinator where chunks of one put go: without the helpers that failed and the stores that
 * refused a chunk for good. Confined to the transfer.
 */
final class ChunkPlacer {
    /**
     * A chunk's placement, with what its helper must know.
     *
     * @param setbacks the put's setbacks when the placement was asked for
     */
    record Placement(PlacedChunk chunk, WritePlan plan, int setbacks) {
        /** @throws IllegalArgumentException when the plan does not say the helper's address */
        HelperAddress helper() {
            return plan.helpers().stream()
                    .filter(helper -> helper.id().equals(chunk.helper()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("helper " + chunk.helper() + " has no address"));
        }

        /**
         * The stores that can take the chunk now.
         *
         * @throws IllegalArgumentException when the plan does not describe one of them
         */
        List<Store> stores() {
            return chunk.writable().stream()
                    .map(id -> plan.stores().stream()
                            .map(StoreStatus::store)
                            .filter(store -> store.id().equals(id))
                            .findFirst()
                            .orElseThrow(() -> new IllegalArgumentException("store " + id + " is not described")))
                    .toList();
        }
    }

    private final CoordinatorClient coordinator;
    private final FilePath file;
    private final VersionId version;
    private final Set<HelperId> avoid = new HashSet<>();
    private final Set<StoreId> refusing = new HashSet<>();
    private Optional<WritePlan> ready;
    private int setbacks;

    /** @param ready the placement of the first chunk, which is used once; empty: it is not known yet */
    ChunkPlacer(CoordinatorClient coordinator, FilePath file, VersionId version, Optional<WritePlan> ready) {
        this.coordinator = coordinator;
        this.ready = ready;
        this.file = file;
        this.version = version;
    }

    VersionId version() {
        return version;
    }

    /** @param cutter how the file is cut; empty: its length is not known yet */
    CompletableFuture<WritePlan> place(long first, int count, Optional<ChunkCutter> cutter) {
        if (ready.isPresent() && first == 0 && count == 1) {
            WritePlan plan = ready.get();
            ready = Optional.empty();
            return CompletableFuture.completedFuture(plan);
        }
        return coordinator.placeChunks(file, version, first, count, avoid, refusing, cutter);
    }

    /** A helper failed and gets nothing more of this put. */
    void avoid(HelperId helper) {
        avoid.add(helper);
    }

    /** Stores refused a chunk for good and get nothing more of this put. */
    void refuse(List<StoreId> stores) {
        refusing.addAll(stores);
    }

    /** A chunk could not be stored where it was placed; the coordinator may know a better place by now. */
    void addSetback() {
        setbacks++;
    }

    /** The number of chunks that could not be stored where they were placed. */
    int setbacks() {
        return setbacks;
    }

    /** Returns whether no chunk has failed since the placement was requested. */
    boolean isCurrent(Placement placement) {
        return placement.setbacks() == setbacks;
    }

    /** Returns whether a retry may find enough stores: a restarted helper, for example, brings its disks back. */
    static boolean mayBeEnoughLater(CloudMwException cause, int refusals) {
        return cause.code() == ErrorCode.QUORUM_NOT_MET && refusals < RetryLimits.MAX_REFUSALS;
    }
}
