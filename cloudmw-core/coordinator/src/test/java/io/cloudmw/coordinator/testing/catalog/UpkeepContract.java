package io.cloudmw.coordinator.testing.catalog;

import static io.cloudmw.core.model.chunk.ReplicaState.CORRUPT;
import static io.cloudmw.core.model.chunk.ReplicaState.DROPPED;
import static io.cloudmw.core.model.chunk.ReplicaState.GONE;
import static io.cloudmw.core.model.chunk.ReplicaState.GOOD;
import static io.cloudmw.core.model.chunk.ReplicaState.MISSING;
import static io.cloudmw.core.model.chunk.ReplicaState.MOVED;
import static io.cloudmw.core.model.chunk.ReplicaState.OWED;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.version.UpkeepRecords;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.testing.Versions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Contract of the records that every catalog keeps for upkeep. */
public abstract class UpkeepContract extends CatalogFixture {
    private static ReplicaRecord record(VersionId version, long chunk, StoreId store, ReplicaState state, long since) {
        return new ReplicaRecord(new ChunkId(version, chunk), store, state, since);
    }

    @Test
    void settledRecordReplacesTheFormerOne() throws Exception {
        VersionId version = put("v:/f", 1, Optional.empty()).id();
        report(version, 3, S1, CORRUPT);
        catalog.settle(
                lease("upkeep"), List.of(record(version, 3, S1, DROPPED, 50), record(version, 3, S2, MOVED, 51)));
        assertThat(catalog.records(version, 3, 4))
                .containsExactly(record(version, 3, S1, DROPPED, 50), record(version, 3, S2, MOVED, 51));
        assertThat(catalog.records(version, 0, 3)).isEmpty();

        catalog.settle(lease("upkeep"), List.of(record(version, 3, S1, GOOD, 60)));
        assertThat(catalog.records(version, 0, 10)).containsExactly(record(version, 3, S2, MOVED, 51));
    }

    @Test
    void recordHasItsTime() throws Exception {
        FileVersion version = Versions.of("v:/f", 1);
        putSegments(version);
        catalog.commit(new CommitRequest(version, Optional.empty(), List.of(fault(version.id(), 0, S1, OWED))));
        catalog.report(List.of(fault(version.id(), 1, S1, MISSING)), 77);
        assertThat(catalog.records(version.id(), 0, 10))
                .containsExactly(
                        record(version.id(), 0, S1, OWED, version.committedAtMillis()),
                        record(version.id(), 1, S1, MISSING, 77));
    }

    @Test
    void reportsNeverChangeADroppedCopy() throws Exception {
        VersionId version = put("v:/f", 1, Optional.empty()).id();
        List<ReplicaRecord> settled = List.of(record(version, 0, S1, DROPPED, 5), record(version, 0, S2, GONE, 6));
        catalog.settle(lease("upkeep"), settled);
        for (ReplicaState state : List.of(OWED, MISSING, CORRUPT, GOOD)) {
            report(version, 0, S1, state);
            report(version, 0, S2, state);
            assertThat(catalog.records(version, 0, 1)).as("%s", state).isEqualTo(settled);
        }
    }

    @Test
    void movedCopyMayTurnOutBad() throws Exception {
        VersionId version = put("v:/f", 1, Optional.empty()).id();
        catalog.settle(lease("upkeep"), List.of(record(version, 0, S1, MOVED, 5)));
        report(version, 0, S1, GOOD);
        assertThat(catalog.records(version, 0, 1)).containsExactly(record(version, 0, S1, MOVED, 5));
        report(version, 0, S1, CORRUPT);
        assertThat(catalog.faults(version, 0, 1)).containsExactly(fault(version, 0, S1, CORRUPT));
    }

    @Test
    void decisionOfUpkeepIsNoFault() throws Exception {
        VersionId version = put("v:/f", 1, Optional.empty()).id();
        catalog.settle(
                lease("upkeep"),
                List.of(
                        record(version, 0, S1, DROPPED, 5),
                        record(version, 1, S1, MOVED, 5),
                        record(version, 2, S1, GONE, 5)));
        assertThat(catalog.faults(version, 0, 10)).isEmpty();
        assertThat(catalog.underReplicatedChunks(version)).isZero();
        assertThat(catalog.underReplicated(VOLUME, "", 10).items()).isEmpty();
    }

    @Test
    void pendingCopiesAreListedInPages() throws Exception {
        List<ReplicaRecord> pending = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            VersionId version = put("v:/f" + i, 1, Optional.empty()).id();
            catalog.settle(
                    lease("upkeep"),
                    List.of(
                            record(version, 0, S1, MOVED, 1),
                            record(version, 1, S1, DROPPED, 2),
                            record(version, 1, S2, CORRUPT, 3),
                            record(version, 2, S2, GONE, 4),
                            record(version, 300, S2, OWED, 5)));
            pending.add(record(version, 1, S2, CORRUPT, 3));
            pending.add(record(version, 300, S2, OWED, 5));
        }
        List<ReplicaRecord> found = new ArrayList<>();
        String token = "";
        do {
            Page<ReplicaRecord> page = catalog.pending(token, 2);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(2);
            found.addAll(page.items());
            token = page.nextToken();
        } while (!token.isEmpty());
        assertThat(found).containsExactlyInAnyOrderElementsOf(pending);
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.pending("", 0));
    }

    @Test
    void settlingHasALimitAndOpensNothing() throws Exception {
        VersionId unknown = VersionId.random();
        catalog.settle(lease("upkeep"), List.of(record(unknown, 0, S1, DROPPED, 5)));
        assertThat(catalog.state(unknown)).isEmpty();
        assertThat(catalog.records(unknown, 0, 1)).isEmpty();
        ReplicaRecord one = record(unknown, 0, S1, GOOD, 5);
        catalog.settle(lease("upkeep"), Collections.nCopies(UpkeepRecords.MAX_SETTLED, one));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> catalog.settle(lease("upkeep"), Collections.nCopies(UpkeepRecords.MAX_SETTLED + 1, one)));
    }

    /**
     * A late caller finds nothing to settle: the call neither fails nor records anything, and its other records count.
     */
    @Test
    void settlingAForgottenVersionRecordsNothing() throws Exception {
        FileVersion gone = put("v:/gone", 1, Optional.empty());
        VersionId kept = put("v:/kept", 1, Optional.empty()).id();
        catalog.remove(gone.file(), 1);
        catalog.forget(lease("upkeep"), gone.id());
        catalog.settle(
                lease("upkeep"),
                List.of(
                        record(gone.id(), 0, S1, MOVED, 5),
                        record(gone.id(), 1, S1, CORRUPT, 5),
                        record(gone.id(), 2, S1, GOOD, 5),
                        record(kept, 0, S1, CORRUPT, 5)));
        assertThat(catalog.records(gone.id(), 0, 10)).isEmpty();
        assertThat(catalog.state(gone.id())).isEmpty();
        assertThat(catalog.pending("", 10).items()).containsExactly(record(kept, 0, S1, CORRUPT, 5));
    }

    /** A finding about a copy may be late; a report of the writer may be early. */
    @Test
    void reportAboutAForgottenVersionDoesNotReopenIt() throws Exception {
        FileVersion gone = put("v:/gone", 1, Optional.empty());
        catalog.remove(gone.file(), 1);
        catalog.forget(lease("upkeep"), gone.id());
        catalog.report(List.of(fault(gone.id(), 0, S1, MISSING), fault(gone.id(), 0, S2, CORRUPT)), 5);
        assertThat(catalog.state(gone.id())).isEmpty();
        assertThat(catalog.records(gone.id(), 0, 1)).isEmpty();
        VersionId begun = VersionId.random();
        catalog.report(List.of(fault(begun, 0, S1, MISSING), fault(begun, 0, S2, GOOD)), 5);
        assertThat(catalog.state(begun)).contains(VersionState.OPEN);
        assertThat(catalog.faults(begun, 0, 1)).isEmpty();
    }

    @Test
    void formerHolderOfTheLeaseSettlesNothing() throws Exception {
        VersionId version = put("v:/f", 1, Optional.empty()).id();
        Lease former = lease("upkeep");
        Lease newer = lease("upkeep");
        List<ReplicaRecord> moved = List.of(record(version, 0, S1, MOVED, 5));
        refused(ErrorCode.LEASE_LOST, () -> catalog.settle(former, moved));
        assertThat(catalog.records(version, 0, 1)).isEmpty();
        catalog.settle(newer, moved);
        assertThat(catalog.records(version, 0, 1)).isEqualTo(moved);
    }

    @Test
    void liveVersionsAreThoseThatPathsName() throws Exception {
        TreeSet<String> live = new TreeSet<>();
        for (int i = 0; i < 5; i++) {
            live.add(put("v:/f" + i, 1, Optional.empty()).id().value());
        }
        FileVersion old = put("v:/changed", 1, Optional.empty());
        live.add(put("v:/changed", 1, Optional.of(old.id())).id().value());
        VersionId open = VersionId.random();
        catalog.touch(open, 1);

        List<String> found = new ArrayList<>();
        String token = "";
        do {
            Page<FileVersion> page = catalog.live(token, 4);
            page.items().forEach(version -> found.add(version.id().value()));
            token = page.nextToken();
        } while (!token.isEmpty());
        assertThat(found).containsExactlyElementsOf(live);
        assertThat(catalog.state(old.id())).contains(VersionState.RETIRED);
        assertThat(catalog.state(open)).contains(VersionState.OPEN);
        assertThat(catalog.state(new VersionId(live.first()))).contains(VersionState.CURRENT);
        assertThat(catalog.state(VersionId.random())).isEmpty();
    }
}
