package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.testing.Versions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Contract of a catalog. A small subclass per implementation opens it. */
public abstract class CatalogContract extends NamesContract {
    @Test
    void volumesAreFoundByNameAndListedInOrder() throws Exception {
        catalog.createVolume(volume("a", S1, S2));
        catalog.createVolume(peersVolume("p", S1, S2));
        assertThat(catalog.volumes())
                .containsExactly(volume("a", S1, S2), peersVolume("p", S1, S2), volume("v", S1, S2));
        assertThat(catalog.volume(VOLUME)).contains(volume("v", S1, S2));
        assertThat(catalog.volume(new VolumeName("none"))).isEmpty();
    }

    @Test
    void volumeNeedsANewNameAndKnownStores() throws Exception {
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.createVolume(volume("v", S1, S2)));
        refused(ErrorCode.NOT_FOUND, () -> catalog.createVolume(volume("w", S1, new StoreId("none"))));
        assertThat(catalog.volume(new VolumeName("w"))).isEmpty();
        catalog.createVolume(volume("w", S1, S2));
    }

    @Test
    void volumeWithFilesIsDeletedOnlyByForceAndRetiresThem() throws Exception {
        FileVersion version = put("v:/a/b", 1, Optional.empty());
        refused(ErrorCode.VOLUME_NOT_EMPTY, () -> catalog.deleteVolume(VOLUME, false, 7));
        assertThat(catalog.current(version.file())).contains(version);
        catalog.deleteVolume(VOLUME, true, 7);
        assertThat(catalog.volume(VOLUME)).isEmpty();
        assertThat(catalog.current(version.file())).isEmpty();
        assertThat(retired()).containsExactly(new RetiredVersion(version.id(), 7, 1));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> catalog.deleteVolume(VOLUME, true, 7));
    }

    @Test
    void emptyVolumeIsDeletedAndItsNameIsFreeAgain() throws Exception {
        catalog.deleteVolume(VOLUME, false, 7);
        catalog.createVolume(volume("v", S1, S2));
        assertThat(list("/", "", 10).items()).isEmpty();
    }

    @Test
    void storeKeepsItsIdentity() throws Exception {
        Store bucket = bucket("s3");
        StoreIdentity identity = StoreIdentity.random("c1").replacedAt(7);
        assertThat(catalog.addStore(bucket.with(identity), ChangeRequest.once(1)))
                .isEqualTo(bucket.with(identity));
        assertThat(catalog.addStore(bucket, ChangeRequest.once(2)))
                .as("the same again, from a process that does not know the identity")
                .isEqualTo(bucket.with(identity));
        catalog.putStore(bucket.with(identity.replacedAt(9)));
        assertThat(catalog.stores()).contains(bucket.with(identity.replacedAt(9)));
        assertThat(catalog.removeStore(bucket.id(), ChangeRequest.once(3)).identity())
                .isEqualTo(identity.replacedAt(9));
    }

    @Test
    void lostStoreIsAddedAgainOnceItWasRemoved() throws Exception {
        Store bucket = bucket("s3");
        Store.S3 place = (Store.S3) bucket.kind();
        catalog.putStore(bucket.lost(5));
        for (Store again : List.of(
                bucket,
                new Store(bucket.id(), "elsewhere", place),
                new Store(new StoreId("s4"), bucket.failureDomain(), place))) {
            CloudMwException refusal =
                    catchThrowableOfType(CloudMwException.class, () -> catalog.addStore(again, ChangeRequest.once(1)));
            assertThat(refusal.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
            assertThat(refusal).hasMessageContainingAll("store s3", "declared lost", "cloudmw store rm s3");
        }
        catalog.removeStore(bucket.id());
        assertThat(catalog.addStore(bucket, ChangeRequest.once(2))).isEqualTo(bucket);
    }

    @Test
    void storesAreReplacedAndRemovedUnlessInUse() throws Exception {
        Store disk = new Store(new StoreId("d"), "rack", new Store.Disk(new HelperId("h1"), Path.of("/d")));
        Store moved = new Store(new StoreId("d"), "rack", new Store.Disk(new HelperId("h2"), Path.of("/d")));
        catalog.putStore(disk);
        catalog.putStore(moved);
        assertThat(catalog.stores()).containsExactly(moved, bucket("s1"), bucket("s2"));
        catalog.removeStore(disk.id());
        assertThat(catalog.stores()).containsExactly(bucket("s1"), bucket("s2"));
        refused(ErrorCode.NOT_FOUND, () -> catalog.removeStore(disk.id()));
        refused(ErrorCode.STORE_IN_USE, () -> catalog.removeStore(S1));
        catalog.deleteVolume(VOLUME, true, 0);
        catalog.removeStore(S1);
    }

    @Test
    void credentialsOfABucketAreChangedAndThoseOfADiskAreNot() throws Exception {
        assertThat(catalog.stores()).contains(bucket("s1"));
        for (CredentialsReference reference : List.of(
                new CredentialsReference.Profile("two words"),
                new CredentialsReference.Role("arn:aws:iam::123456789012:role/reader", ""),
                new CredentialsReference.Role("arn:aws:iam::123456789012:role/team/reader", "id-1"),
                new CredentialsReference.KeyFile(Path.of("/etc/keys")),
                CredentialsReference.chain())) {
            Store changed = bucket("s1").with(reference);
            assertThat(catalog.setCredentials(S1, reference, ChangeRequest.once(1)))
                    .isEqualTo(changed);
            assertThat(catalog.stores()).contains(changed, bucket("s2"));
        }
        Store disk = new Store(new StoreId("d"), "rack", new Store.Disk(new HelperId("h1"), Path.of("/d")));
        catalog.putStore(disk);
        CredentialsReference profile = new CredentialsReference.Profile("p");
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.setCredentials(disk.id(), profile, ChangeRequest.once(1)));
        refused(ErrorCode.NOT_FOUND, () -> catalog.setCredentials(new StoreId("none"), profile, ChangeRequest.once(1)));
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.addStore(bucket("s1").with(profile), ChangeRequest.once(1)));
        assertThat(catalog.stores()).containsExactly(disk, bucket("s1"), bucket("s2"));
    }

    @Test
    void encryptionOfABucketIsKeptAndChanged() throws Exception {
        Store added = bucket("s9").with(BucketEncryption.kms("arn:aws:kms:eu-west-1:123456789012:key/k", true));
        assertThat(catalog.addStore(added, ChangeRequest.once(1))).isEqualTo(added);
        assertThat(catalog.addStore(added, ChangeRequest.once(2))).as("again").isEqualTo(added);
        assertThat(catalog.stores()).contains(added);
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.addStore(bucket("s9"), ChangeRequest.once(3)));
        for (BucketEncryption encryption :
                List.of(BucketEncryption.AES256, BucketEncryption.kms("", false), BucketEncryption.NONE)) {
            Store changed = bucket("s9").with(encryption);
            assertThat(catalog.changeStore(added.id(), store -> store.with(encryption), ChangeRequest.once(4)))
                    .isEqualTo(changed);
            assertThat(catalog.stores()).contains(changed, bucket("s1"));
        }
    }

    @Test
    void fileIsInvisibleBeforeTheCommit() throws Exception {
        FileVersion version = Versions.of("v:/a", 2);
        putSegments(version);
        assertThat(catalog.current(version.file())).isEmpty();
        assertThat(catalog.version(version.id())).isEmpty();
        assertThat(list("/", "", 10).items()).isEmpty();
        commit(version, Optional.empty());
        assertThat(catalog.current(version.file())).contains(version);
        assertThat(catalog.version(version.id())).contains(version);
        assertThat(catalog.segment(version.id(), 1)).hasValue(Versions.segment(version.id(), 1));
        assertThat(catalog.segment(version.id(), 2)).isEmpty();
    }

    @Test
    void firstSegmentsOfManyVersionsAreFoundAtOnce() throws Exception {
        List<VersionId> versions = new ArrayList<>();
        Map<VersionId, byte[]> segments = new HashMap<>();
        for (int i = 0; i < 120; i++) {
            VersionId version = put("v:/f" + i, 1, Optional.empty()).id();
            versions.add(version);
            segments.put(version, Versions.segment(version, 0));
        }
        FileVersion large = Versions.of("v:/large", 1);
        byte[] longest = new byte[800 << 10];
        catalog.putSegment(large.id(), 0, longest, 1);
        versions.add(0, large.id());
        segments.put(large.id(), longest);
        versions.add(put("v:/none", 0, Optional.empty()).id());
        versions.add(VersionId.random());
        Map<VersionId, byte[]> found = catalog.firstSegments(versions);
        assertThat(found.keySet()).isEqualTo(segments.keySet());
        segments.forEach((version, segment) -> assertThat(found.get(version)).isEqualTo(segment));
    }

    @Test
    void emptyFileHasNoSegments() throws Exception {
        FileVersion version = put("v:/empty", 0, Optional.empty());
        assertThat(catalog.current(version.file())).contains(version);
    }

    @Test
    void commitNeedsTheExpectedVersionAtThePath() throws Exception {
        FileVersion first = put("v:/a", 1, Optional.empty());
        FileVersion second = Versions.of("v:/a", 1);
        putSegments(second);
        refused(ErrorCode.CONFLICT, () -> commit(second, Optional.empty()));
        refused(ErrorCode.CONFLICT, () -> commit(second, Optional.of(VersionId.random())));
        assertThat(catalog.current(first.file())).contains(first);
        commit(second, Optional.of(first.id()));
        assertThat(catalog.current(first.file())).contains(second);
        assertThat(catalog.version(first.id()))
                .as("readers of the old version go on")
                .contains(first);
        assertThat(catalog.segment(first.id(), 0)).isPresent();
        assertThat(retired()).extracting(RetiredVersion::id).containsExactly(first.id());
    }

    @Test
    void repeatedCommitReturnsTheFirstResult() throws Exception {
        FileVersion first = put("v:/a", 1, Optional.empty());
        FileVersion later = Versions.of(first.file(), first.id(), 1, 9999);
        assertThat(commit(later, Optional.empty())).isEqualTo(first);
        put("v:/a", 1, Optional.of(first.id()));
        assertThat(commit(first, Optional.empty())).as("replaced since").isEqualTo(first);
        assertThat(catalog.current(first.file()).orElseThrow().id()).isNotEqualTo(first.id());
    }

    @Test
    void parallelWritersOfAPathHaveASingleWinner() throws Exception {
        List<Callable<Boolean>> writers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            FileVersion version = Versions.of("v:/contested", 1);
            putSegments(version);
            writers.add(() -> succeeds(() -> commit(version, Optional.empty()), ErrorCode.CONFLICT));
        }
        assertThat(atOnce(writers)).isEqualTo(1);
    }

    @Test
    void commitNeedsExactlyTheSegmentsOfItsDigest() throws Exception {
        FileVersion version = Versions.of("v:/a", 2);
        catalog.putSegment(version.id(), 1, Versions.segment(version.id(), 1), 1);
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(version, Optional.empty()));
        catalog.putSegment(version.id(), 0, new byte[] {1}, 1);
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(version, Optional.empty()));
        catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), 1);
        catalog.putSegment(version.id(), 2, new byte[] {1}, 1);
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(version, Optional.empty()));
        assertThat(catalog.current(version.file())).isEmpty();
    }

    @Test
    void segmentsOfACommittedVersionAreFixed() throws Exception {
        FileVersion version = put("v:/a", 1, Optional.empty());
        catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), 5);
        refused(ErrorCode.CONFLICT, () -> catalog.putSegment(version.id(), 0, new byte[] {1}, 5));
        refused(ErrorCode.CONFLICT, () -> catalog.putSegment(version.id(), 1, new byte[] {1}, 5));
        assertThat(catalog.segment(version.id(), 0)).hasValue(Versions.segment(version.id(), 0));
    }

    @Test
    void commitNeedsItsVolume() throws Exception {
        FileVersion version = Versions.of("nowhere:/a", 0);
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> commit(version, Optional.empty()));
    }

    @Test
    void removedFileIsGoneAndRetired() throws Exception {
        FileVersion version = put("v:/a/b", 1, Optional.empty());
        assertThat(catalog.remove(version.file(), 77)).isEqualTo(version);
        assertThat(catalog.current(version.file())).isEmpty();
        assertThat(list("/", "", 10).items()).isEmpty();
        assertThat(retired()).containsExactly(new RetiredVersion(version.id(), 77, 1));
        refused(ErrorCode.NOT_FOUND, () -> catalog.remove(version.file(), 78));
        put("v:/a", 1, Optional.empty());
    }

    @Test
    void faultsAreRecordedUntilTheReplicaIsGoodAgain() throws Exception {
        FileVersion version = put("v:/a", 1, Optional.empty());
        report(version.id(), 3, S1, ReplicaState.MISSING);
        report(version.id(), 3, S2, ReplicaState.MISSING);
        report(version.id(), 5, S2, ReplicaState.OWED);
        assertThat(catalog.faults(version.id(), 0, 10)).hasSize(3);
        assertThat(catalog.faults(version.id(), 4, 6)).containsExactly(fault(version.id(), 5, S2, ReplicaState.OWED));
        assertThat(catalog.faults(version.id(), 4, 5)).isEmpty();
        assertThat(catalog.faults(version.id(), 4, 4)).isEmpty();
        assertThat(catalog.underReplicatedChunks(version.id())).isEqualTo(2);
        report(version.id(), 3, S1, ReplicaState.GOOD);
        report(version.id(), 3, S2, ReplicaState.GOOD);
        assertThat(catalog.faults(version.id(), 0, 10)).containsExactly(fault(version.id(), 5, S2, ReplicaState.OWED));
        assertThat(catalog.underReplicatedChunks(version.id())).isEqualTo(1);
    }

    @Test
    void lateReportOfTheWriterDoesNotLiftAQuarantine() throws Exception {
        FileVersion open = Versions.of("v:/b", 1);
        putSegments(open);
        report(open.id(), 0, S1, ReplicaState.CORRUPT);
        report(open.id(), 0, S1, ReplicaState.GOOD);
        assertThat(catalog.faults(open.id(), 0, 1)).containsExactly(fault(open.id(), 0, S1, ReplicaState.CORRUPT));

        FileVersion version = put("v:/a", 1, Optional.empty());
        report(version.id(), 0, S1, ReplicaState.CORRUPT);
        report(version.id(), 0, S1, ReplicaState.GOOD);
        assertThat(catalog.faults(version.id(), 0, 1))
                .containsExactly(fault(version.id(), 0, S1, ReplicaState.CORRUPT));
    }

    @Test
    void owedNeverReplacesARecord() throws Exception {
        FileVersion version = put("v:/a", 1, Optional.empty());
        report(version.id(), 0, S1, ReplicaState.CORRUPT);
        report(version.id(), 0, S1, ReplicaState.OWED);
        assertThat(catalog.faults(version.id(), 0, 1))
                .containsExactly(fault(version.id(), 0, S1, ReplicaState.CORRUPT));
    }

    @Test
    void copyThatBecameGoodBeforeTheCommitIsNotOwedAfterIt() throws Exception {
        FileVersion version = Versions.of("v:/a", 1);
        putSegments(version);
        report(version.id(), 0, S1, ReplicaState.GOOD);
        assertThat(catalog.faults(version.id(), 0, 9)).isEmpty();
        catalog.commit(new CommitRequest(
                version,
                Optional.empty(),
                List.of(fault(version.id(), 0, S1, ReplicaState.OWED), fault(version.id(), 1, S2, ReplicaState.OWED))));
        assertThat(catalog.faults(version.id(), 0, 9)).containsExactly(fault(version.id(), 1, S2, ReplicaState.OWED));
        report(version.id(), 1, S2, ReplicaState.GOOD);
        assertThat(catalog.faults(version.id(), 0, 9)).isEmpty();
    }

    @Test
    void underReplicatedChunksOfCurrentVersionsAreListedPageByPage() throws Exception {
        catalog.createVolume(volume("w", S1, S2));
        FileVersion current = put("v:/a", 1, Optional.empty());
        FileVersion removed = put("v:/b", 1, Optional.empty());
        FileVersion elsewhere = put("w:/c", 1, Optional.empty());
        FileVersion open = Versions.of("v:/d", 1);
        putSegments(open);
        List<ReplicaReport> expected = new ArrayList<>();
        for (FileVersion version : List.of(current, removed, elsewhere, open)) {
            for (int chunk = 0; chunk < 5; chunk++) {
                report(version.id(), chunk, S1, ReplicaState.MISSING);
                report(version.id(), chunk, S2, ReplicaState.CORRUPT);
            }
        }
        for (int chunk = 0; chunk < 5; chunk++) {
            expected.add(fault(current.id(), chunk, S1, ReplicaState.MISSING));
            expected.add(fault(current.id(), chunk, S2, ReplicaState.CORRUPT));
        }
        catalog.remove(removed.file(), 1);
        for (int limit : new int[] {1, 3, 9, 10, 11}) {
            List<ReplicaReport> found = new ArrayList<>();
            String token = "";
            do {
                Page<ReplicaReport> page = catalog.underReplicated(VOLUME, token, limit);
                assertThat(page.items()).hasSizeLessThanOrEqualTo(limit);
                found.addAll(page.items());
                token = page.nextToken();
            } while (!token.isEmpty());
            assertThat(found).as("limit %d", limit).isEqualTo(expected);
        }
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.underReplicated(VOLUME, "nonsense", 10));
    }

    @Test
    void uploadsWithoutProgressAreAbandonedAndCannotBeCommitted() throws Exception {
        FileVersion stale = Versions.of("v:/stale", 2);
        catalog.putSegment(stale.id(), 0, Versions.segment(stale.id(), 0), 100);
        FileVersion fresh = Versions.of("v:/fresh", 2);
        catalog.putSegment(fresh.id(), 0, Versions.segment(fresh.id(), 0), 100);
        catalog.putSegment(fresh.id(), 1, Versions.segment(fresh.id(), 1), 200);
        FileVersion committed = put("v:/committed", 1, Optional.empty());

        assertThat(catalog.retireAbandoned(lease("abandoned"), 200, 300)).isEqualTo(1);

        assertThat(retired()).containsExactly(new RetiredVersion(stale.id(), 300, 1));
        refused(ErrorCode.CONFLICT, () -> catalog.putSegment(stale.id(), 1, new byte[] {1}, 400));
        refused(ErrorCode.CONFLICT, () -> commit(stale, Optional.empty()));
        commit(fresh, Optional.empty());
        assertThat(catalog.current(committed.file())).isPresent();
        assertThat(catalog.retireAbandoned(lease("abandoned"), Long.MAX_VALUE, 300))
                .isZero();
    }

    @Test
    void abandonedUploadCannotBeCommittedAndItsIdStays() throws Exception {
        FileVersion begun = Versions.of("v:/a", 1);
        putSegments(begun);
        FileVersion unheardOf = Versions.of("v:/b", 0);
        for (FileVersion upload : List.of(begun, unheardOf)) {
            assertThat(catalog.giveUp(upload.id(), 7)).isEmpty();
            assertThat(catalog.giveUp(upload.id(), 8)).isEmpty();
            refused(ErrorCode.CONFLICT, () -> commit(upload, Optional.empty()));
            assertThat(catalog.resume(upload.id(), 9)).isFalse();
        }
        assertThat(retired())
                .containsExactlyInAnyOrder(
                        new RetiredVersion(begun.id(), 7, 1), new RetiredVersion(unheardOf.id(), 7, 0));
        for (FileVersion upload : List.of(begun, unheardOf)) {
            catalog.forget(lease("collect"), upload.id());
            refused(ErrorCode.CONFLICT, () -> commit(upload, Optional.empty()));
        }
        assertThat(retired()).isEmpty();
    }

    @Test
    void committedVersionIsNotAbandoned() throws Exception {
        FileVersion first = put("v:/a", 1, Optional.empty());
        assertThat(catalog.giveUp(first.id(), 7)).contains(first);
        assertThat(catalog.current(first.file())).contains(first);
        put("v:/a", 1, Optional.of(first.id()));
        assertThat(catalog.giveUp(first.id(), 8)).contains(first);
    }

    @Test
    void touchedUploadIsNotAbandonedAndAFinishedOneStaysFinished() throws Exception {
        FileVersion stale = Versions.of("v:/stale", 1);
        catalog.touch(stale.id(), 100);
        FileVersion fresh = Versions.of("v:/fresh", 1);
        catalog.touch(fresh.id(), 100);
        catalog.touch(fresh.id(), 200);
        assertThat(catalog.retireAbandoned(lease("abandoned"), 200, 300)).isEqualTo(1);
        catalog.touch(stale.id(), 400);
        refused(ErrorCode.CONFLICT, () -> catalog.putSegment(stale.id(), 0, new byte[] {1}, 400));
        catalog.putSegment(fresh.id(), 0, Versions.segment(fresh.id(), 0), 400);
        commit(fresh, Optional.empty());
    }

    @Test
    void onlyAnOpenUploadIsResumed() throws Exception {
        FileVersion stale = Versions.of("v:/stale", 1);
        catalog.touch(stale.id(), 100);
        FileVersion fresh = Versions.of("v:/fresh", 1);
        catalog.touch(fresh.id(), 100);
        assertThat(catalog.resume(fresh.id(), 200)).isTrue();
        assertThat(catalog.retireAbandoned(lease("abandoned"), 200, 300)).isEqualTo(1);
        assertThat(catalog.resume(stale.id(), 400)).isFalse();
        catalog.forget(lease("collection"), stale.id());
        assertThat(catalog.resume(stale.id(), 400)).as("nor is it opened").isFalse();
        assertThat(catalog.resume(stale.id(), 400)).isFalse();
        catalog.putSegment(fresh.id(), 0, Versions.segment(fresh.id(), 0), 400);
        commit(fresh, Optional.empty());
        assertThat(catalog.resume(fresh.id(), 500)).isFalse();
    }

    /** The writer may have been suspended for months: it must not reopen the version, since its chunks are gone. */
    @Test
    void idOfAForgottenUploadStaysAndItsWriterIsRefused() throws Exception {
        FileVersion slow = Versions.of("v:/slow", 1);
        catalog.putSegment(slow.id(), 0, Versions.segment(slow.id(), 0), 100);
        report(slow.id(), 0, S1, ReplicaState.GOOD);
        report(slow.id(), 1, S1, ReplicaState.MISSING);
        assertThat(catalog.retireAbandoned(lease("abandoned"), Long.MAX_VALUE, 300))
                .isOne();
        for (int i = 0; i < 2; i++) {
            catalog.forget(lease("collection"), slow.id());
            assertThat(catalog.segment(slow.id(), 0)).isEmpty();
            assertThat(catalog.records(slow.id(), 0, 10)).isEmpty();
            assertThat(retired()).isEmpty();
            assertThat(catalog.state(slow.id())).isPresent();
            catalog.touch(slow.id(), 400);
            assertThat(catalog.resume(slow.id(), 400)).isFalse();
            refused(ErrorCode.CONFLICT, () -> catalog.putSegment(slow.id(), 0, Versions.segment(slow.id(), 0), 400));
            refused(ErrorCode.CONFLICT, () -> commit(slow, Optional.empty()));
        }
        assertThat(catalog.retireAbandoned(lease("abandoned"), Long.MAX_VALUE, 500))
                .isZero();
    }

    @Test
    void forgottenVersionLeavesNothing() throws Exception {
        FileVersion version = put("v:/a", 1, Optional.empty());
        report(version.id(), 0, S1, ReplicaState.MISSING);
        catalog.forget(lease("collection"), version.id());
        assertThat(catalog.segment(version.id(), 0))
                .as("current versions are not forgotten")
                .isPresent();
        catalog.remove(version.file(), 1);
        catalog.forget(lease("collection"), version.id());
        assertThat(catalog.segment(version.id(), 0)).isEmpty();
        assertThat(catalog.version(version.id())).isEmpty();
        assertThat(catalog.faults(version.id(), 0, 10)).isEmpty();
        assertThat(retired()).isEmpty();
    }

    @Test
    void retiredVersionsAreListedPageByPage() throws Exception {
        List<VersionId> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            FileVersion version = put("v:/f" + i, 1, Optional.empty());
            catalog.remove(version.file(), 1);
            ids.add(version.id());
        }
        Page<RetiredVersion> first = catalog.retired("", 3);
        Page<RetiredVersion> second = catalog.retired(first.nextToken(), 3);
        assertThat(second.isLast()).isTrue();
        List<RetiredVersion> all = new ArrayList<>(first.items());
        all.addAll(second.items());
        assertThat(all).extracting(RetiredVersion::id).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void closedCatalogRefusesEverything() throws Exception {
        catalog.close();
        catalog.close();
        refused(ErrorCode.CANCELLED, () -> catalog.volumes());
        refused(ErrorCode.CANCELLED, () -> catalog.putStore(bucket("s3")));
    }
}
