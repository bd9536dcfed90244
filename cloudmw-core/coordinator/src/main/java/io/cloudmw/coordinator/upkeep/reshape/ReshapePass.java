package io.cloudmw.coordinator.upkeep.reshape;

import io.cloudmw.coordinator.upkeep.reshape.DepartureScan.Departure;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.LostFile;
import io.cloudmw.core.status.ReshapeProgress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The findings of one full repair pass about changed volumes. Confined to one thread. */
final class ReshapePass {
    private final Map<VolumeName, Volume> volumes;
    private final long beganMillis;
    private final Map<Departure, Long> left = new HashMap<>();
    private final Set<VolumeName> unsettled = new HashSet<>();
    private final Map<FilePath, Set<StoreId>> lostFiles = new LinkedHashMap<>();
    private long lostFileCount;
    private @Nullable FilePath lastLost;

    /**
     * @param volumes the volumes when the pass begins
     * @param beganMillis by upkeep's clock
     */
    ReshapePass(Map<VolumeName, Volume> volumes, long beganMillis) {
        this.volumes = volumes;
        this.beganMillis = beganMillis;
        for (Volume volume : volumes.values()) {
            volume.leaving().forEach(store -> left.put(new Departure(volume.name(), store), 0L));
        }
    }

    Map<VolumeName, Volume> volumes() {
        return volumes;
    }

    long beganMillis() {
        return beganMillis;
    }

    /** Counts a chunk's copies in the stores that its volume leaves. */
    void count(Volume volume, CurrentReplicas copies) {
        for (StoreId store : volume.leaving()) {
            if (copies.stores().contains(store)) {
                left.merge(new Departure(volume.name(), store), 1L, Long::sum);
            }
        }
    }

    /** Records that repair still has work in a volume. */
    void unsettled(VolumeName volume) {
        unsettled.add(volume);
    }

    boolean isSettled(VolumeName volume) {
        return !unsettled.contains(volume);
    }

    /** Returns how many copies each leaving store has, by volume. */
    Map<Departure, Long> left() {
        return Map.copyOf(left);
    }

    /**
     * Adds a lost file. Chunks of a file follow each other, except where a pass wraps around; then its file may be counted
     * twice.
     */
    void addLost(FilePath file, Set<StoreId> lost) {
        Set<StoreId> known = lostFiles.get(file);
        if (known != null) {
            known.addAll(lost);
            return;
        }
        if (lostFiles.size() < ReshapeProgress.MAX_LOST_FILES) {
            lostFiles.put(file, lost);
            lostFileCount++;
        } else if (!file.equals(lastLost)) {
            lostFileCount++;
        }
        lastLost = file;
    }

    List<LostFile> lostFiles() {
        List<LostFile> files = new ArrayList<>();
        lostFiles.forEach((file, lost) -> files.add(new LostFile(file, List.copyOf(lost))));
        return files;
    }

    long lostFileCount() {
        return lostFileCount;
    }
}
