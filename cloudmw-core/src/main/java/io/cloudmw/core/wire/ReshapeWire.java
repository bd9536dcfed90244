package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.status.LostFile;
import io.cloudmw.core.status.ReshapeProgress;
import io.cloudmw.core.status.VolumeReshapeProgress;
import io.cloudmw.proto.v1.Departure;
import io.cloudmw.proto.v1.GetStatusResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The messages of the progress of volume changes. Safe for any thread. */
final class ReshapeWire {
    private ReshapeWire() {}

    /** Adds the progress to a status. */
    static void add(ReshapeProgress progress, GetStatusResponse.Builder answer) {
        progress.volumes()
                .forEach(volume -> answer.addVolumes(io.cloudmw.proto.v1.VolumeFare.newBuilder()
                        .setName(volume.name().value())
                        .setReplicas(volume.replicas())
                        .setUsableStores(volume.usableStores())
                        .addAllLeaving(volume.leaving().stream()
                                .map(ReshapeWire::departure)
                                .toList())));
        progress.lostFiles()
                .forEach(file -> answer.addLostFiles(io.cloudmw.proto.v1.LostFile.newBuilder()
                        .setVolume(file.file().volume().value())
                        .setPath(file.file().path())
                        .addAllStoreIds(ToWire.storeIds(file.stores()))));
        answer.setLostFileCount(progress.lostFileCount());
    }

    private static Departure departure(VolumeReshapeProgress.Departure departure) {
        Departure.Builder message = Departure.newBuilder()
                .setStoreId(departure.store().value())
                .setLost(departure.lost())
                .setUploads(departure.uploads())
                .setGarbage(departure.garbage());
        departure.copies().ifPresent(message::setCopies);
        return message.build();
    }

    /** The progress in a status. */
    static ReshapeProgress progress(GetStatusResponse answer) throws CloudMwException {
        List<VolumeReshapeProgress> volumes = new ArrayList<>();
        for (io.cloudmw.proto.v1.VolumeFare volume : answer.getVolumesList()) {
            volumes.add(FromWire.valid(() -> new VolumeReshapeProgress(
                    new VolumeName(volume.getName()),
                    volume.getReplicas(),
                    volume.getUsableStores(),
                    volume.getLeavingList().stream().map(ReshapeWire::departure).toList())));
        }
        List<LostFile> files = new ArrayList<>();
        for (io.cloudmw.proto.v1.LostFile file : answer.getLostFilesList()) {
            files.add(FromWire.valid(() -> new LostFile(
                    FromWire.file(file.getVolume(), file.getPath()), FromWire.storeIds(file.getStoreIdsList()))));
        }
        return new ReshapeProgress(volumes, files, answer.getLostFileCount());
    }

    private static VolumeReshapeProgress.Departure departure(Departure message) {
        return new VolumeReshapeProgress.Departure(
                new StoreId(message.getStoreId()),
                message.getLost(),
                message.hasCopies() ? OptionalLong.of(message.getCopies()) : OptionalLong.empty(),
                message.getUploads(),
                message.getGarbage());
    }
}
