package io.cloudmw.coordinator.upkeep.reshape;

import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.status.StoreStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The planner of volume changes: computes the changed volume, and refuses changes that the stores cannot satisfy.
 * Immutable.
 */
public final class VolumeChangePlanner {
    private final Map<StoreId, StoreStatus> stores = new LinkedHashMap<>();

    /** @param stores all known stores */
    public VolumeChangePlanner(Collection<StoreStatus> stores) {
        stores.forEach(status -> this.stores.put(status.store().id(), status));
    }

    /**
     * Returns the volume after the change: the same one when nothing changes, otherwise with the next generation.
     *
     * @throws CloudMwException {@code CONFLICT} when the volume has another generation than the change expects;
     *     {@code NOT_FOUND} for an unknown store; {@code NOT_ENOUGH_STORES} when the volume would lack more usable
     *     stores than it does now; {@code INVALID_ARGUMENT}
     */
    public Volume reshape(Volume before, VolumeChange change) throws CloudMwException {
        requireGeneration(before, change.generation());
        List<StoreId> filling = filling(before, change.stores());
        List<StoreId> leaving = leaving(before, filling);
        int replicas = change.copying().replicas().orElse(before.replicas());
        int quorum = change.copying().writeQuorum().orElse(before.writeQuorum());
        if (quorum > replicas) {
            throw invalid(
                    before,
                    "write quorum " + quorum + " is more than " + replicas
                            + " replicas (change both: --replicas and --write-quorum)");
        }
        requireEnough(before, filling, replicas);
        Volume after;
        try {
            after = new Volume(
                    before.name(),
                    change.cutting().of(before.chunking()),
                    replicas,
                    filling,
                    quorum,
                    change.reading().mode().orElse(before.mode()),
                    before.rotateReplicas(),
                    before.createdAtMillis(),
                    change.reading().target().orElse(before.target()),
                    change.reading().peers().orElse(before.peers()),
                    before.revision().next(leaving));
        } catch (IllegalArgumentException e) {
            throw invalid(before, String.valueOf(e.getMessage()));
        }
        return isSame(before, after) ? before : after;
    }

    private static void requireGeneration(Volume before, long expected) throws CloudMwException {
        if (expected != 0 && expected != before.generation()) {
            throw CatalogErrors.volumeChanged(before, expected);
        }
    }

    private List<StoreId> filling(Volume before, VolumeChange.Members change) throws CloudMwException {
        for (StoreId removed : change.removed()) {
            if (!before.storesInUse().contains(removed)) {
                throw invalid(before, "it does not use store " + removed + " (its stores: " + before.stores() + ")");
            }
        }
        Set<StoreId> filling = new LinkedHashSet<>(before.stores());
        filling.removeAll(change.removed());
        for (StoreId added : change.added().stream().sorted().toList()) {
            requireUsable(before, added);
            filling.add(added);
        }
        return List.copyOf(filling);
    }

    private void requireUsable(Volume before, StoreId added) throws CloudMwException {
        StoreStatus status = stores.get(added);
        if (status == null) {
            throw CatalogErrors.storeNotFound(added);
        }
        if (status.store().isLost()) {
            throw invalid(before, "store " + added + " was declared lost and takes no chunks any more");
        }
        if (status.draining()) {
            throw invalid(before, "store " + added + " is drained (end that first: cloudmw undrain " + added + ")");
        }
    }

    private static List<StoreId> leaving(Volume before, List<StoreId> filling) {
        List<StoreId> leaving = new ArrayList<>(before.storesInUse());
        leaving.removeAll(filling);
        return leaving;
    }

    /**
     * Checks the number of usable stores. A volume may lack stores after a loss; a change may leave it so, but must not
     * make it worse.
     */
    private void requireEnough(Volume before, List<StoreId> filling, int replicas) throws CloudMwException {
        List<StoreId> usable = usable(filling);
        int lacking = Math.max(0, replicas - usable.size());
        int lackedBefore =
                Math.max(0, before.replicas() - usable(before.stores()).size());
        if (lacking > lackedBefore) {
            String now = lackedBefore == 0 ? "" : "it lacks " + lackedBefore + " now, and must not lack more; ";
            throw new CloudMwException(
                    ErrorCode.NOT_ENOUGH_STORES,
                    "volume " + before.name() + ": " + usable.size() + " stores would take its chunks, " + usable
                            + " (expected: >= " + (replicas - lackedBefore) + " for " + replicas + " replicas; " + now
                            + "add a store, or ask for fewer replicas)");
        }
    }

    private List<StoreId> usable(List<StoreId> filling) {
        return filling.stream().filter(this::isUsable).toList();
    }

    private boolean isUsable(StoreId id) {
        StoreStatus status = stores.get(id);
        return status != null && !status.draining() && !status.store().isLost();
    }

    private static boolean isSame(Volume before, Volume after) {
        return after.chunking().equals(before.chunking())
                && after.replicas() == before.replicas()
                && after.stores().equals(before.stores())
                && after.leaving().equals(before.leaving())
                && after.writeQuorum() == before.writeQuorum()
                && after.mode() == before.mode()
                && after.target().equals(before.target())
                && after.peers() == before.peers();
    }

    private static CloudMwException invalid(Volume volume, String message) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, "volume " + volume.name() + ": " + message);
    }
}
