package io.cloudmw.client;

import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The operations on volumes. Safe for any thread; {@link CloudMw} says how a future fails and which threads run
 * callbacks.
 */
public final class VolumeOperations {
    private final CoordinatorClient coordinator;

    VolumeOperations(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /**
     * Creates a volume. The coordinator sets its creation time.
     *
     * @return the volume; fails with {@code ALREADY_EXISTS}; with {@code NOT_FOUND} for an unknown store; with
     *     {@code NOT_ENOUGH_STORES} when the volume has fewer stores than replicas
     */
    public CompletableFuture<Volume> create(Volume volume) {
        return coordinator.createVolume(volume);
    }

    /**
     * Changes the settings of a volume. Upkeep then adapts the existing copies: it makes further copies when the volume
     * wants more, and moves copies away from a store before the volume gives the store up.
     *
     * @return the volume after the change; fails with {@code VOLUME_NOT_FOUND}; with {@code CONFLICT} when the volume has
     *     another generation than the change expects; with {@code NOT_FOUND} for an unknown store; with
     *     {@code NOT_ENOUGH_STORES} when too few stores would take its chunks; with {@code INVALID_ARGUMENT}
     */
    public CompletableFuture<Volume> change(VolumeChange change) {
        return coordinator.changeVolume(change);
    }

    /**
     * Looks up a volume.
     *
     * @return the volume; fails with {@code VOLUME_NOT_FOUND}
     */
    public CompletableFuture<Volume> get(VolumeName name) {
        return coordinator.volume(name);
    }

    /** Lists all volumes of the cluster, by name. */
    public CompletableFuture<List<Volume>> list() {
        return coordinator.volumes();
    }

    /**
     * Deletes a volume.
     *
     * @param force whether a volume with files is deleted with its files
     * @return done when the volume is gone; fails with {@code VOLUME_NOT_FOUND}, and with {@code VOLUME_NOT_EMPTY} when it
     *     has files and {@code force} is false
     */
    public CompletableFuture<Void> delete(VolumeName name, boolean force) {
        return coordinator.deleteVolume(name, force);
    }
}
