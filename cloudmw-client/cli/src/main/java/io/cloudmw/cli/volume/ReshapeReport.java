package io.cloudmw.cli.volume;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.status.LostFile;
import io.cloudmw.core.status.ReshapeProgress;
import io.cloudmw.core.status.VolumeReshapeProgress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The progress of volume changes, and the losses of lost stores, as lines for people and as JSON. */
public final class ReshapeReport {
    /** The most files in a list for people. */
    private static final int MOST_FILES = 20;

    private ReshapeReport() {}

    public static List<String> lines(ReshapeProgress progress) {
        List<String> lines = new ArrayList<>();
        for (VolumeReshapeProgress volume : progress.volumes()) {
            if (volume.missingStores() > 0) {
                lines.add("volume " + volume.name() + " needs " + volume.missingStores() + " more stores for "
                        + volume.replicas() + " replicas (cloudmw volume set " + volume.name() + " --add-store ID)");
            }
            volume.leaving().forEach(store -> lines.add("volume " + volume.name() + ": " + line(store)));
        }
        if (progress.lostFileCount() > 0) {
            lines.add("lost files: " + progress.lostFileCount()
                    + " (every copy of some chunk was in a store declared lost; put them again, or remove them)");
            progress.lostFiles().stream()
                    .limit(MOST_FILES)
                    .forEach(file -> lines.add("  " + file.file() + " in " + file.stores()));
        }
        return lines;
    }

    /** Returns a line about the copies left in a store that leaves a volume. */
    static String line(VolumeReshapeProgress.Departure store) {
        String what = "store " + store.store() + (store.lost() ? " (lost)" : "") + " leaves: ";
        if (store.copies().isEmpty()) {
            return what + "not looked through yet";
        }
        return what + store.copies().getAsLong() + " copies left"
                + (store.uploads() > 0 ? ", " + store.uploads() + " of open uploads" : "")
                + (store.garbage() > 0 ? ", " + store.garbage() + " to be deleted" : "");
    }

    public static List<Map<String, ?>> volumes(ReshapeProgress progress) {
        List<Map<String, ?>> rows = new ArrayList<>();
        for (VolumeReshapeProgress volume : progress.volumes()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", volume.name().value());
            row.put("replicas", volume.replicas());
            row.put("usable_stores", volume.usableStores());
            row.put("missing_stores", volume.missingStores());
            row.put("leaving", leaving(volume.leaving()));
            rows.add(row);
        }
        return rows;
    }

    public static List<Map<String, ?>> lostFiles(ReshapeProgress progress) {
        List<Map<String, ?>> rows = new ArrayList<>();
        for (LostFile file : progress.lostFiles()) {
            rows.add(Map.of(
                    "file",
                    file.file().toString(),
                    "stores",
                    file.stores().stream().map(StoreId::value).toList()));
        }
        return rows;
    }

    /** Returns the stores that leave a volume, with their progress. */
    static List<VolumeReshapeProgress.Departure> departures(ReshapeProgress progress, VolumeName volume) {
        return progress.volumes().stream()
                .filter(fare -> fare.name().equals(volume))
                .flatMap(fare -> fare.leaving().stream())
                .toList();
    }

    static List<Map<String, ?>> leaving(List<VolumeReshapeProgress.Departure> departures) {
        List<Map<String, ?>> rows = new ArrayList<>();
        for (VolumeReshapeProgress.Departure store : departures) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("id", store.store().value());
            row.put("lost", store.lost());
            store.copies().ifPresent(copies -> row.put("copies_left", copies));
            row.put("uploads_left", store.uploads());
            row.put("garbage_left", store.garbage());
            rows.add(row);
        }
        return rows;
    }
}
