package io.cloudmw.coordinator.reshape;

import io.cloudmw.coordinator.catalog.Notes;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which changes of volumes the copies there are do not follow yet, noted in the catalog, so that the next coordinator that does
 * upkeep goes on. A volume that was never changed has no note. Confined to one thread; calls block.
 */
public final class ReshapeNotes {
    private static final String PREFIX = "reshape/";
    private static final String DONE = "done";

    private final Notes notes;
    private final Lease lease;
    private final Map<VolumeName, Noted> noted = new TreeMap<>();

    /** The note on a volume: since when, by upkeep's clock, a generation is to be followed; empty: it is. */
    private record Noted(long createdAtMillis, long generation, Optional<Long> sinceMillis) {
        boolean isOf(Volume volume) {
            return createdAtMillis == volume.createdAtMillis() && generation == volume.generation();
        }

        String text() {
            return createdAtMillis + "/" + generation + "/"
                    + sinceMillis.map(String::valueOf).orElse(DONE);
        }

        static Noted parse(String text) {
            String[] parts = text.split("/", -1);
            return new Noted(
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]),
                    parts[2].equals(DONE) ? Optional.empty() : Optional.of(Long.parseLong(parts[2])));
        }
    }

    public ReshapeNotes(Notes notes, Lease lease) {
        this.notes = notes;
        this.lease = lease;
    }

    /** Reads what was noted; before all else. */
    public void begin() throws CloudMwException {
        notes.startingWith(PREFIX)
                .forEach((key, text) -> noted.put(new VolumeName(key.substring(PREFIX.length())), Noted.parse(text)));
    }

    /** Notes the volumes that were changed since, and drops the notes of those that were deleted. */
    public void look(Collection<Volume> volumes, long ageMillis) throws CloudMwException {
        Set<VolumeName> gone = new HashSet<>(noted.keySet());
        for (Volume volume : volumes) {
            gone.remove(volume.name());
            Noted known = noted.get(volume.name());
            boolean changed = known == null ? volume.generation() > 1 : !known.isOf(volume);
            if (changed) {
                put(volume, Optional.of(ageMillis));
            }
        }
        for (VolumeName name : gone) {
            notes.put(lease, PREFIX + name, "");
            noted.remove(name);
        }
    }

    /** Since when, by upkeep's clock, copies are to follow a volume's generation; empty: they do. */
    public Optional<Long> since(Volume volume) {
        Noted known = noted.get(volume.name());
        return known == null ? Optional.empty() : known.sinceMillis();
    }

    /** The copies there are follow this generation of the volume. */
    public void followed(Volume volume) throws CloudMwException {
        put(volume, Optional.empty());
    }

    /** The copies there are do not follow this generation of the volume yet: since then, by upkeep's clock. */
    public void unfollowed(Volume volume, long sinceMillis) throws CloudMwException {
        put(volume, Optional.of(sinceMillis));
    }

    private void put(Volume volume, Optional<Long> sinceMillis) throws CloudMwException {
        Noted note = new Noted(volume.createdAtMillis(), volume.generation(), sinceMillis);
        notes.put(lease, PREFIX + volume.name(), note.text());
        noted.put(volume.name(), note);
    }
}
