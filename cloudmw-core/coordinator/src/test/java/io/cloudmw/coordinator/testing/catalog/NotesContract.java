package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.UpkeepNotes;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.ErrorCode;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contract of upkeep's notes in every catalog. */
public abstract class NotesContract extends CatalogFixture {
    @Test
    void notesAreKeptByKey() throws Exception {
        Lease lease = lease("upkeep");
        UpkeepNotes notes = catalog.notes();
        assertThat(notes.startingWith("")).isEmpty();
        notes.put(lease, "drain/s1", "1");
        notes.put(lease, "drain/s2", "2");
        notes.put(lease, "drainage", "x");
        notes.put(lease, "drain/s2", "3");
        assertThat(notes.startingWith("drain/")).isEqualTo(Map.of("drain/s1", "1", "drain/s2", "3"));
        notes.put(lease, "drain/s1", "");
        assertThat(notes.startingWith("drain/")).isEqualTo(Map.of("drain/s2", "3"));
        assertThat(notes.startingWith("")).containsOnlyKeys("drain/s2", "drainage");
    }

    @Test
    void formerHolderOfTheLeaseWritesNoNote() throws Exception {
        Lease lease = lease("upkeep");
        lease("upkeep");
        refused(ErrorCode.LEASE_LOST, () -> catalog.notes().put(lease, "late", "y"));
        assertThat(catalog.notes().startingWith("late")).isEmpty();
    }

    @Test
    void notesAreShort() throws Exception {
        Lease lease = lease("upkeep");
        catalog.notes().put(lease, "k", "x".repeat(UpkeepNotes.MAX_TEXT));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> catalog.notes().put(lease, "k", "x".repeat(UpkeepNotes.MAX_TEXT + 1)));
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.notes().put(lease, "", "x"));
        assertThat(catalog.notes().startingWith("k")).isEqualTo(Map.of("k", "x".repeat(UpkeepNotes.MAX_TEXT)));
    }
}
