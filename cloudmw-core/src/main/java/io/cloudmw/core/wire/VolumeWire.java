package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.proto.v1.ChangeVolumeRequest;

/** The messages of volume changes. Safe for any thread. */
public final class VolumeWire {
    private VolumeWire() {}

    /** The request for a change, without its call. */
    public static ChangeVolumeRequest.Builder change(VolumeChange change) {
        ChangeVolumeRequest.Builder message = ChangeVolumeRequest.newBuilder()
                .setName(change.volume().value())
                .setGeneration(change.generation())
                .addAllAddedStoreIds(ToWire.storeIds(
                        change.stores().added().stream().sorted().toList()))
                .addAllRemovedStoreIds(ToWire.storeIds(
                        change.stores().removed().stream().sorted().toList()));
        change.copying().replicas().ifPresent(message::setReplicas);
        change.copying().writeQuorum().ifPresent(message::setWriteQuorum);
        change.cutting().chunks().ifPresent(message::setChunkCount);
        change.cutting().chunkSizeBytes().ifPresent(message::setChunkSizeBytes);
        change.cutting().leafSizeBytes().ifPresent(message::setLeafSizeBytes);
        change.reading().mode().ifPresent(mode -> message.setMode(ToWire.mode(mode)));
        change.reading().target().ifPresent(target -> message.setTarget(ToWire.target(target)));
        change.reading().peers().ifPresent(message::setPeers);
        return message;
    }

    /**
     * The change in a request.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is malformed
     */
    public static VolumeChange change(ChangeVolumeRequest message) throws CloudMwException {
        return FromWire.valid(() -> {
            VolumeChange.Builder change =
                    VolumeChange.of(new VolumeName(message.getName())).atGeneration(message.getGeneration());
            for (StoreId store : FromWire.storeIds(message.getAddedStoreIdsList())) {
                change.addStore(store);
            }
            for (StoreId store : FromWire.storeIds(message.getRemovedStoreIdsList())) {
                change.removeStore(store);
            }
            copying(message, change);
            cutting(message, change);
            reading(message, change);
            return change.build();
        });
    }

    private static void copying(ChangeVolumeRequest message, VolumeChange.Builder change) {
        if (message.hasReplicas()) {
            change.replicas(message.getReplicas());
        }
        if (message.hasWriteQuorum()) {
            change.writeQuorum(message.getWriteQuorum());
        }
    }

    private static void cutting(ChangeVolumeRequest message, VolumeChange.Builder change) {
        if (message.hasChunkCount()) {
            change.chunks(message.getChunkCount());
        }
        if (message.hasChunkSizeBytes()) {
            change.chunkSizeBytes(message.getChunkSizeBytes());
        }
        if (message.hasLeafSizeBytes()) {
            change.leafSizeBytes(message.getLeafSizeBytes());
        }
    }

    private static void reading(ChangeVolumeRequest message, VolumeChange.Builder change) throws CloudMwException {
        if (message.hasMode()) {
            change.mode(FromWire.mode(message.getMode()));
        }
        if (message.hasTarget()) {
            change.target(FromWire.target(message.getTarget()));
        }
        if (message.hasPeers()) {
            change.peers(message.getPeers());
        }
    }
}
