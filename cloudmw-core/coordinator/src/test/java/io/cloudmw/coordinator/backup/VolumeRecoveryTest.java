package io.cloudmw.coordinator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.backup.StoredVolume;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.wire.BackupWire;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of recovery from incomplete or damaged stores and backups. */
final class VolumeRecoveryTest {
    private final Catalog catalog = new InMemoryCatalog();
    private final Catalog other = new InMemoryCatalog();
    private final StoredVolume volume;
    private final BackupRoot first;
    private final BackupRoot second;
    private final ChunkId secondRoot;
    private final List<ChunkId> namedRoots;

    VolumeRecoveryTest() throws CloudMwException {
        volume = new StoredVolume(catalog);
        volume.put("/a", new byte[9000]);
        first = volume.backup();
        List<ChunkId> before = volume.roots("s1");
        volume.put("/b", new byte[5000]);
        second = volume.backup(first);
        secondRoot = volume.roots("s1").stream()
                .filter(chunk -> !before.contains(chunk))
                .findFirst()
                .orElseThrow();
        namedRoots = volume.roots("s1");
    }

    @BeforeEach
    void thereAreTwo() {
        assertThat(second.parts()).hasSize(2);
    }

    private RecoveryReport recover() throws CloudMwException {
        return volume.recover(other, false, RecoveryListener.NONE);
    }

    private void resume(Catalog into) throws CloudMwException {
        recover(request("", StoredVolume.NAME, true), into);
    }

    private static ChunkId lastChunk(BackupRoot root) {
        return root.parts().get(root.parts().size() - 1).chunks().get(0).id();
    }

    /** Without its references, the collector would delete the chunks as those of an abandoned upload. */
    @Test
    void recoveredFileReferencesChunksOfFilesThatAreGone() throws Exception {
        FileVersion part = volume.put("/part", new byte[StoredVolume.LEAF_BYTES * 3]);
        FileVersion whole = volume.join("/whole", volume.put("/first", new byte[StoredVolume.LEAF_BYTES]), part);
        catalog.remove(part.file(), 1);
        BackupRoot unused = volume.backup();
        recover();
        List<ChunkId> chunks = LongStream.range(0, 3)
                .mapToObj(index -> new ChunkId(part.id(), index))
                .toList();
        assertThat(StoredVolume.files(other)).isEqualTo(StoredVolume.files(catalog));
        assertThat(other.namedBy(whole.id(), chunks)).isEqualTo(Set.copyOf(chunks));
        assertThat(other.retireAbandoned(lease(), Long.MAX_VALUE, Long.MAX_VALUE))
                .isOne();
        assertThat(other.state(part.id())).contains(VersionState.RETIRED);
        assertThat(other.namer(chunks.get(2))).contains(new ChunkReference(whole.id(), OptionalInt.of(1), true));
        assertThat(other.namedElsewhere(part.id(), chunks)).isEqualTo(Set.copyOf(chunks));
    }

    private Lease lease() throws CloudMwException {
        return other.leases().acquire("test", "test", Duration.ofSeconds(1), 0).orElseThrow();
    }

    @Test
    void damagedCopyOfABackupIsSkipped() throws Exception {
        volume.damage(secondRoot, "s1");
        volume.damage(lastChunk(second), "s1");
        volume.store("s2").delete(lastChunk(first));
        RecoveryReport report = recover();
        assertThat(report.root().number()).isEqualTo(2);
        assertThat(StoredVolume.files(other)).containsOnlyKeys("/a", "/b");
    }

    @Test
    void backupWithADamagedPartIsRefusedAndThePreviousOneIsUsed() throws Exception {
        volume.damage(lastChunk(second), "s1");
        volume.damage(lastChunk(second), "s2");
        RecoveryReport report = recover();
        assertThat(report.root().number()).isEqualTo(1);
        assertThat(report.refused())
                .singleElement()
                .asString()
                .contains("backup 2", lastChunk(second).toString());
        assertThat(StoredVolume.files(other)).containsOnlyKeys("/a");
    }

    @Test
    void backupWithoutItsRootDoesNotExist() throws Exception {
        volume.store("s1").delete(secondRoot);
        volume.store("s2").delete(secondRoot);
        assertThat(recover().root().number()).isEqualTo(1);
    }

    @Test
    void damagedRootIsRefusedAndThePreviousBackupIsUsed() throws Exception {
        volume.damage(secondRoot, "s1");
        volume.damage(secondRoot, "s2");
        RecoveryReport report = recover();
        assertThat(report.root().number()).isEqualTo(1);
        assertThat(report.refused()).singleElement().asString().contains(secondRoot.toString(), "SHA-256");
    }

    @Test
    void missingValidBackupChangesNothing() throws Exception {
        for (ChunkId root : volume.roots("s1")) {
            volume.damage(root, "s1");
            volume.damage(root, "s2");
        }
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, this::recover);
        assertThat(failure.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(other.volumes()).isEmpty();
        assertThat(other.stores()).isEmpty();
    }

    private static RecoveryRequest of(String cluster) {
        return request(cluster, StoredVolume.NAME, false);
    }

    private static RecoveryRequest request(String cluster, VolumeName as, boolean resume) {
        return new RecoveryRequest(
                StoredVolume.NAME, as, StoredVolume.definitions(), cluster, OptionalLong.empty(), false, resume);
    }

    private void recover(RecoveryRequest request, Catalog into) throws CloudMwException {
        recover(request, into, RecoveryListener.NONE);
    }

    private void recover(RecoveryRequest request, Catalog into, RecoveryListener listener) throws CloudMwException {
        RecoveryReport unused =
                new VolumeRecovery(request, store -> volume.store(store.id().value()), listener, () -> 1).run(into);
    }

    /** A replacement of a catalog's method. */
    private interface Instead {
        @Nullable
        Object call(Method method, @Nullable Object[] arguments) throws Throwable;
    }

    /** Returns a catalog whose commits are replaced. */
    private static Catalog committing(Catalog catalog, Instead instead) {
        return (Catalog) Proxy.newProxyInstance(
                Catalog.class.getClassLoader(), new Class<?>[] {Catalog.class}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("commit")
                                ? instead.call(method, arguments)
                                : method.invoke(catalog, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Parallel commits let a catalog sync them together. */
    @Test
    void filesAreCommittedSeveralAtATime() throws Exception {
        CountDownLatch together = new CountDownLatch(2);
        Queue<Boolean> came = new ConcurrentLinkedQueue<>();
        recover(of(""), committing(other, (method, arguments) -> {
            together.countDown();
            came.add(together.await(30, TimeUnit.SECONDS));
            return method.invoke(other, arguments);
        }));
        assertThat(came).containsExactly(true, true);
        assertThat(StoredVolume.files(other)).containsOnlyKeys("/a", "/b");
    }

    @Test
    void filesThatOverloadTheCatalogTogetherAreWrittenOneByOne() throws Exception {
        Set<Object> refused = ConcurrentHashMap.newKeySet();
        recover(of(""), committing(other, (method, arguments) -> {
            if (refused.add(((CommitRequest) arguments[0]).version().id())) {
                throw new CloudMwException(ErrorCode.OVERLOADED, "too many");
            }
            return method.invoke(other, arguments);
        }));
        assertThat(refused).hasSize(2);
        assertThat(StoredVolume.files(other)).containsOnlyKeys("/a", "/b");
    }

    @Test
    void parallelRecoveriesOfTwoVolumesDoNotAffectEachOther() throws Exception {
        try (Catalog theirs = new InMemoryCatalog()) {
            StoredVolume neighbour = volume.beside(theirs);
            neighbour.put("/theirs", new byte[100]);
            neighbour.backup();
            VolumeName name = new VolumeName("a".repeat(63));
            RecoveryListener meanwhile = new RecoveryListener() {
                @Override
                public void restored(long files, long bytes) {
                    if (files == 1) {
                        assertThatCode(() -> recover(request(theirs.clusterId(), name, false), other))
                                .doesNotThrowAnyException();
                    }
                }
            };
            recover(of(catalog.clusterId()), other, meanwhile);
            assertThat(StoredVolume.files(other)).containsOnlyKeys("/a", "/b");
            assertThat(other.list(name, "/", "", 10).items()).hasSize(1);
        }
    }

    @Test
    void backupWithoutAClusterIdMatchesAnyCluster() throws Exception {
        volume.writeUnnamed(first);
        for (String store : List.of("s1", "s2")) {
            volume.damage(lastChunk(second), store);
            for (ChunkId root : namedRoots) {
                volume.damage(root, store);
            }
        }
        recover(of(catalog.clusterId()), other);
        assertThat(StoredVolume.files(other)).containsOnlyKeys("/a");
    }

    /** Two clusters keep a volume of one name in the same stores, with backups of the same numbers. */
    @Test
    void recoveryFromSeveralClustersNeedsTheNameOfOne() throws Exception {
        try (Catalog theirs = new InMemoryCatalog();
                Catalog third = new InMemoryCatalog()) {
            StoredVolume neighbour = volume.beside(theirs);
            neighbour.put("/theirs", new byte[100]);
            assertThat(neighbour.backup().cluster())
                    .isEqualTo(theirs.clusterId())
                    .isNotEqualTo(first.cluster());
            CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> recover(of(""), other));
            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(failure)
                    .hasMessageContaining(theirs.clusterId())
                    .hasMessageContaining(catalog.clusterId())
                    .hasMessageContaining("its newest: 2");
            assertThat(other.volumes()).isEmpty();
            CloudMwException strange = catchThrowableOfType(CloudMwException.class, () -> recover(of("zz"), other));
            assertThat(strange.code()).isEqualTo(ErrorCode.NOT_FOUND);
            assertThat(strange)
                    .hasMessageContaining("no backup of cluster \"zz\"")
                    .hasMessageContaining(theirs.clusterId())
                    .hasMessageContaining(catalog.clusterId());
            assertThat(other.volumes()).isEmpty();
            recover(of(catalog.clusterId()), other);
            assertThat(StoredVolume.files(other)).containsOnlyKeys("/a", "/b");
            recover(of(theirs.clusterId().substring(0, 8)), third);
            assertThat(StoredVolume.files(third)).containsOnlyKeys("/theirs");
        }
    }

    @Test
    void earlierBackupIsRecoveredUnderAnotherName() throws Exception {
        VolumeName name = new VolumeName("other");
        RecoveryRequest request = new RecoveryRequest(
                StoredVolume.NAME, name, StoredVolume.definitions(), "", OptionalLong.of(1), false, false);
        RecoveryReport report = new VolumeRecovery(
                        request, store -> volume.store(store.id().value()), RecoveryListener.NONE, () -> 1)
                .run(other);
        assertThat(report.volume().name()).isEqualTo(name);
        assertThat(other.list(name, "/", "", 10).items()).hasSize(1);
    }

    @Test
    void interruptedRecoveryIsResumed() throws Exception {
        recover();
        other.remove(volume.file("/a"), 9);
        // A file that a user removed is not restored: versions are never used twice.
        assertThat(catchThrowableOfType(CloudMwException.class, () -> resume(other))
                        .code())
                .isEqualTo(ErrorCode.CONFLICT);
        try (Catalog third = new InMemoryCatalog()) {
            for (Store store : StoredVolume.definitions()) {
                third.putStore(store);
            }
            third.createVolume(catalog.volume(StoredVolume.NAME).orElseThrow());
            resume(third);
            assertThat(StoredVolume.files(third)).containsOnlyKeys("/a", "/b");
        }
    }

    /** The recovery stops after 150 of 202 files; a version that two paths name is among the first. */
    @Test
    void filesThatUsersRemovedStayRemovedAfterAResume() throws Exception {
        catalog.snapshots().create(StoredVolume.NAME, "s", 1);
        catalog.rename(new Rename(volume.file("/a"), volume.file("/c"), true), 2);
        catalog.snapshots().restore("s", volume.file("/a"), 3);
        for (int i = 0; i < 200; i++) {
            volume.put("/d/" + i, new byte[0]);
        }
        volume.backup(second);
        RecoveryListener stopping = new RecoveryListener() {
            @Override
            public void restored(long files, long bytes) {
                if (files == 150) {
                    throw new IllegalStateException("stopped");
                }
            }
        };
        assertThat(catchThrowableOfType(IllegalStateException.class, () -> volume.recover(other, false, stopping)))
                .hasMessage("stopped");
        other.remove(volume.file("/a"), 9);
        other.remove(volume.file("/b"), 9);
        resume(other);
        Map<String, String> expected = StoredVolume.files(catalog);
        expected.keySet().removeAll(List.of("/a", "/b"));
        assertThat(StoredVolume.files(other)).isEqualTo(expected);
        assertThat(other.notes().startingWith("recover/")).isEmpty();
    }

    /** The first recovery had reached the end of a volume that was since deleted and forgotten. */
    @Test
    void progressOfARemovedVolumeIsIgnored() throws Exception {
        Lease lease = other.leases()
                .acquire("recover-" + StoredVolume.NAME, "first", Duration.ofSeconds(1), 1)
                .orElseThrow();
        new RecoveryProgress(other.notes(), lease, StoredVolume.NAME, second).note("/b");
        other.leases().release(lease);
        RecoveryListener stopping = new RecoveryListener() {
            @Override
            public void restored(long files, long bytes) {
                throw new IllegalStateException("stopped");
            }
        };
        assertThat(catchThrowableOfType(IllegalStateException.class, () -> volume.recover(other, false, stopping)))
                .hasMessage("stopped");
        resume(other);
        assertThat(StoredVolume.files(other)).containsOnlyKeys("/a", "/b");
    }

    @Test
    void filePutMeanwhileStaysWhenItsPathHadASharedVersion() throws Exception {
        catalog.snapshots().create(StoredVolume.NAME, "s", 1);
        FilePath moved = volume.file("/c");
        catalog.rename(new Rename(volume.file("/a"), moved, true), 2);
        catalog.snapshots().restore("s", volume.file("/a"), 3);
        volume.backup(second);
        recover();
        FileVersion since = new FileVersion(moved, VersionId.random(), 0, 0, 0, 4096, 9, new ManifestDigest().finish());
        other.commit(new CommitRequest(since, other.current(moved).map(FileVersion::id), List.of()));
        assertThat(catchThrowableOfType(CloudMwException.class, () -> resume(other))
                        .code())
                .isEqualTo(ErrorCode.CONFLICT);
        assertThat(other.current(moved)).contains(since);
    }

    @Test
    void unreadableStoreLeavesOutOnlyItsOwnContent() throws Exception {
        FileVersion b = catalog.current(volume.file("/b")).orElseThrow();
        volume.store("s1").delete(new ChunkId(b.id(), 0));
        RecoveryReport report = new VolumeRecovery(
                        of(""),
                        store -> {
                            if (store.id().value().equals("s2")) {
                                throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "away");
                            }
                            return volume.store(store.id().value());
                        },
                        RecoveryListener.NONE,
                        () -> 1)
                .run(other);
        assertThat(report.copies().lostFiles()).isZero();
        assertThat(report.copies().unseenFiles()).isEqualTo(1);
        assertThat(report.unreadable()).containsValue("away");
    }

    @Test
    void damagedCopiesOfFilesAreFoundWhenTheyAreRead() throws Exception {
        FileVersion b = catalog.current(volume.file("/b")).orElseThrow();
        volume.damage(new ChunkId(b.id(), 1), "s2");
        assertThat(recover().copies().corrupt()).isZero();
        try (Catalog third = new InMemoryCatalog()) {
            RecoveryReport report = volume.recover(third, true, RecoveryListener.NONE);
            assertThat(report.copies().corrupt()).isEqualTo(1);
            assertThat(report.copies().lostFiles()).isZero();
        }
    }

    @Test
    void truncatedOrNewerRootIsRefused() throws Exception {
        byte[] frame = BackupWire.root(first);
        assertThat(BackupWire.root(frame)).isEqualTo(first);
        for (int length = 0; length < frame.length; length += 7) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThat(catchThrowableOfType(CloudMwException.class, () -> BackupWire.root(cut))
                            .code())
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        for (int at = 0; at < frame.length; at += 3) {
            byte[] changed = frame.clone();
            changed[at] ^= 16;
            assertThat(catchThrowableOfType(CloudMwException.class, () -> BackupWire.root(changed)))
                    .isNotNull();
        }
    }
}
