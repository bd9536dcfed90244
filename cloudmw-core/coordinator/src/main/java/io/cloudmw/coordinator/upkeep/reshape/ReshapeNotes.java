package io.cloudmw.coordinator.upkeep.reshape;

import io.cloudmw.coordinator.catalog.UpkeepNotes;
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
 * The notes about volumes whose copies do not yet match their last change, for the next holder of upkeep. A volume that
 * was never changed has no note. Confined to one thread; calls block.
 */
public final class ReshapeNotes {
    private static final String PREFIX = "reshape/";
    private static final String DONE = "done";

    private final UpkeepNotes notes;
    private final Lease lease;
    private final Map<VolumeName, Note> noted = new TreeMap<>();

    /**
     * The note about a volume: the time, by upkeep's clock, since which a generation awaits its copies; empty: they
     * match.
     */
    private record Note(long createdAtMillis, long generation, Optional<Long> sinceMillis) {
        boolean isOf(Volume volume) {
            return createdAtMillis == volume.createdAtMillis() && generation == volume.generation();
        }

        String text() {
            return createdAtMillis + "/" + generation + "/"
                    + sinceMillis.map(String::valueOf).orElse(DONE);
        }

        static Note parse(String text) {
            String[] parts = text.split("/", -1);
            return new Note(
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]),
                    parts[2].equals(DONE) ? Optional.empty() : Optional.of(Long.parseLong(parts[2])));
        }
    }

    public ReshapeNotes(UpkeepNotes notes, Lease lease) {
        this.notes = notes;
        this.lease = lease;
    }

    /** Reads the notes; called first. */
    public void begin() throws CloudMwException {
        notes.startingWith(PREFIX)
                .forEach((key, text) -> noted.put(new VolumeName(key.substring(PREFIX.length())), Note.parse(text)));
    }

    /** Adds notes for changed volumes, and drops the notes of deleted ones. */
    public void look(Collection<Volume> volumes, long ageMillis) throws CloudMwException {
        Set<VolumeName> gone = new HashSet<>(noted.keySet());
        for (Volume volume : volumes) {
            gone.remove(volume.name());
            Note known = noted.get(volume.name());
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

    /** Returns the time, by upkeep's clock, since which a volume's generation awaits its copies; empty: they match. */
    public Optional<Long> since(Volume volume) {
        Note known = noted.get(volume.name());
        return known == null ? Optional.empty() : known.sinceMillis();
    }

    /** Records that the copies match this generation of the volume. */
    public void followed(Volume volume) throws CloudMwException {
        put(volume, Optional.empty());
    }

    /** Records that the copies do not match this generation of the volume yet, and since when by upkeep's clock. */
    public void unfollowed(Volume volume, long sinceMillis) throws CloudMwException {
        put(volume, Optional.of(sinceMillis));
    }

    private void put(Volume volume, Optional<Long> sinceMillis) throws CloudMwException {
        Note note = new Note(volume.createdAtMillis(), volume.generation(), sinceMillis);
        notes.put(lease, PREFIX + volume.name(), note.text());
        noted.put(volume.name(), note);
    }
}
