package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.StoreStatus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;

/** The room in the stores of volumes. A bucket counts as unlimited. */
public final class VolumeSpace {
    private VolumeSpace() {}

    /**
     * The room for files. What files occupy is not counted: all of it is free.
     *
     * @param volume empty: that of all stores, each byte kept once
     */
    public static FsStatus of(CloudMw client, Path path, Optional<VolumeName> volume) throws IOException {
        List<StoreStatus> stores = HadoopErrors.await(path, client.stores().list());
        int replicas = 1;
        if (volume.isPresent()) {
            Volume settings = HadoopErrors.await(path, client.volumes().get(volume.get()));
            replicas = settings.replicas();
            stores = stores.stream()
                    .filter(status -> settings.stores().contains(status.store().id()))
                    .toList();
        }
        long free = 0;
        for (StoreStatus status : stores) {
            long room = status.freeBytes().orElse(Long.MAX_VALUE);
            free = room > Long.MAX_VALUE - free ? Long.MAX_VALUE : free + room;
        }
        long bytes = free == Long.MAX_VALUE ? free : free / replicas;
        return new FsStatus(bytes, 0, bytes);
    }
}
