package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.backup.RecoveryListener;
import io.cloudmw.coordinator.backup.RecoveryReport;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.testing.backup.StoredVolume;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Contract of exports from one catalog and recoveries into another. */
public abstract class BackupContract extends CatalogFixture {
    /** Opens another empty catalog; the suite closes it. */
    protected abstract Catalog openAnother() throws Exception;

    private static byte[] bytes(String content, int times) {
        return content.repeat(times).getBytes(StandardCharsets.US_ASCII);
    }

    private static void note(Catalog catalog, FilePath file, String value) throws CloudMwException {
        catalog.setAttributes(new AttributeChange(file, Map.of("who", value), Set.of()), 9);
    }

    private StoredVolume filled() throws CloudMwException {
        StoredVolume volume = new StoredVolume(catalog);
        volume.put("/empty", new byte[0]);
        volume.put("/a/small", bytes("x", 10));
        volume.put("/a/b/large", bytes("large", 5000));
        volume.put("/a/replaced", bytes("before", 5));
        volume.put("/a/replaced", bytes("after", 7));
        note(catalog, volume.file("/a/replaced"), "me");
        return volume;
    }

    @Test
    void catalogHasAUniqueId() throws Exception {
        assertThat(catalog.clusterId()).matches("[0-9a-f]{32}").isEqualTo(catalog.clusterId());
        try (Catalog other = openAnother()) {
            assertThat(other.clusterId()).isNotEqualTo(catalog.clusterId());
        }
    }

    @Test
    void recoveredVolumeHasAllItsFilesWithTheirAttributesTimesAndManifests() throws Exception {
        StoredVolume volume = filled();
        volume.backup();
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, true, RecoveryListener.NONE);
            assertThat(StoredVolume.files(other)).hasSize(4).isEqualTo(StoredVolume.files(catalog));
            Volume was = catalog.volume(StoredVolume.NAME).orElseThrow();
            Volume is = other.volume(StoredVolume.NAME).orElseThrow();
            assertThat(is.replicas()).isEqualTo(was.replicas());
            assertThat(is.chunking()).isEqualTo(was.chunking());
            assertThat(is.stores()).isEqualTo(was.stores());
            assertThat(is.createdAtMillis()).isEqualTo(5_000);
            StoreIdentity anyOfTheOldCluster = new StoreIdentity("", catalog.clusterId(), 0);
            assertThat(other.stores())
                    .containsAll(StoredVolume.definitions().stream()
                            .map(store -> store.with(anyOfTheOldCluster))
                            .toList());
            assertThat(report.files()).isEqualTo(4);
            assertThat(report.copies().chunks()).isEqualTo(9);
            assertThat(report.copies().found()).isEqualTo(18);
            assertThat(report.refused()).isEmpty();
        }
    }

    @Test
    void laterChangesAreAddedToTheLastBackup() throws Exception {
        StoredVolume volume = filled();
        BackupRoot first = volume.backup();
        volume.put("/new", bytes("new", 3));
        volume.put("/a/small", bytes("other", 3));
        catalog.remove(volume.file("/empty"), 11);
        rename("photos:/a/b", "photos:/moved/there");
        rename("photos:/a/replaced", "photos:/elsewhere");
        volume.put("/a/b/again", bytes("again", 2));
        note(catalog, volume.file("/elsewhere"), "you");
        BackupRoot second = volume.backup(first);
        assertThat(second.parts()).hasSize(2);
        assertThat(second.position()).isEqualTo(catalog.changes().position(StoredVolume.NAME));
        try (Catalog other = openAnother()) {
            assertThat(volume.recover(other, false, RecoveryListener.NONE)
                            .root()
                            .number())
                    .isEqualTo(2);
            assertThat(StoredVolume.files(other))
                    .containsOnlyKeys("/a/small", "/new", "/moved/there/large", "/elsewhere", "/a/b/again")
                    .isEqualTo(StoredVolume.files(catalog));
        }
    }

    @Test
    void versionNamedBySeveralPathsIsRecoveredAtEach() throws Exception {
        StoredVolume volume = filled();
        catalog.snapshots().create(StoredVolume.NAME, "s", 1);
        rename("photos:/a", "photos:/moved");
        note(catalog, volume.file("/moved/small"), "another");
        catalog.snapshots().restore("s", volume.file("/a/small"), 12);
        catalog.snapshots().restore("s", volume.file("/a/replaced"), 12);
        volume.backup();
        try (Catalog other = openAnother()) {
            assertThat(volume.recover(other, true, RecoveryListener.NONE).files())
                    .isEqualTo(6);
            assertThat(StoredVolume.files(other)).hasSize(6).isEqualTo(StoredVolume.files(catalog));
            FileVersion version = other.current(volume.file("/a/small")).orElseThrow();
            assertThat(other.current(volume.file("/moved/small")).map(FileVersion::id))
                    .contains(version.id());
            other.remove(volume.file("/a/small"), 13);
            assertThat(other.state(version.id())).as("the other path names it").contains(VersionState.CURRENT);
        }
    }

    @Test
    void copiesAreRecordedWhereTheyAreAndFilesWithoutAnyAreNamed() throws Exception {
        StoredVolume volume = filled();
        FileVersion moved = catalog.current(volume.file("/a/small")).orElseThrow();
        FileVersion gone = catalog.current(volume.file("/a/b/large")).orElseThrow();
        volume.backup();
        volume.move(new ChunkId(moved.id(), 0), "s2", "s3", UnaryOperator.identity());
        volume.store("s1").delete(new ChunkId(gone.id(), 3));
        volume.store("s2").delete(new ChunkId(gone.id(), 3));
        volume.store("s2").delete(new ChunkId(gone.id(), 4));
        List<String> lost = new ArrayList<>();
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, false, lost(lost));
            assertThat(lost).containsExactly("/a/b/largetrue");
            assertThat(report.copies().moved()).isEqualTo(1);
            assertThat(report.copies().missing()).isEqualTo(3);
            assertThat(report.copies().lostFiles()).isEqualTo(1);
            CurrentReplicas copies = copies(other, moved, 0);
            assertThat(copies.stores()).containsExactly(new StoreId("s1"), new StoreId("s3"));
            assertThat(copies.faulty()).isEmpty();
            assertThat(copies(other, gone, 4).faulty()).containsExactly(new StoreId("s2"));
            assertThat(other.current(volume.file("/a/b/large"))).isPresent();
        }
    }

    private static Map<String, byte[]> small() {
        Map<String, byte[]> contents = new LinkedHashMap<>();
        contents.put("/p/first", bytes("1", 10));
        contents.put("/p/second", bytes("2", 10));
        contents.put("/p/third", bytes("3", 10));
        return contents;
    }

    @Test
    void filesInAPackAreRecoveredWithTheirPack() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Chunk pack = volume.pack(small());
        volume.put("/p/second", bytes("other", 1));
        volume.backup();
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, true, RecoveryListener.NONE);
            assertThat(StoredVolume.files(other)).hasSize(3).isEqualTo(StoredVolume.files(catalog));
            assertThat(report.files()).isEqualTo(3);
            assertThat(report.copies().chunks())
                    .as("the pack and the other file")
                    .isEqualTo(2);
            assertThat(report.copies().found()).isEqualTo(4);
            assertThat(other.packs("", 10).items())
                    .extracting(FileVersion::id)
                    .containsExactly(pack.id().version());
            assertThat(other.open("", 10).items()).as("the pack is no upload").isEmpty();
            FileVersion third = other.current(volume.file("/p/third")).orElseThrow();
            assertThat(other.namedBy(third.id(), List.of(pack.id()))).containsExactly(pack.id());
        }
    }

    @Test
    void laterBackupHasThePacksOfItsFiles() throws Exception {
        StoredVolume volume = filled();
        BackupRoot first = volume.backup();
        volume.pack(small());
        volume.backup(first);
        try (Catalog other = openAnother()) {
            assertThat(volume.recover(other, false, RecoveryListener.NONE).files())
                    .isEqualTo(7);
            assertThat(StoredVolume.files(other)).isEqualTo(StoredVolume.files(catalog));
            assertThat(other.packs("", 10).items()).hasSize(1);
        }
    }

    @Test
    void movedCopyOfAPackIsFoundForAllItsFiles() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Chunk pack = volume.pack(small());
        volume.backup();
        volume.move(pack.id(), "s2", "s3", UnaryOperator.identity());
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, false, RecoveryListener.NONE);
            assertThat(report.copies().moved()).isEqualTo(1);
            assertThat(report.copies().missing()).isZero();
            for (String path : small().keySet()) {
                FileVersion file = other.current(volume.file(path)).orElseThrow();
                assertThat(copies(other, file, 0).stores())
                        .as(path)
                        .containsExactly(new StoreId("s1"), new StoreId("s3"));
            }
        }
    }

    @Test
    void filesOfAPackWithoutACopyAreLost() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Chunk pack = volume.pack(small());
        volume.put("/kept", bytes("x", 3));
        volume.backup();
        volume.store("s1").delete(pack.id());
        volume.store("s2").delete(pack.id());
        List<String> lost = new ArrayList<>();
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, false, lost(lost));
            assertThat(report.copies().missing()).isEqualTo(2);
            assertThat(report.copies().lostFiles()).isEqualTo(3);
            assertThat(lost).containsExactlyInAnyOrder("/p/firsttrue", "/p/secondtrue", "/p/thirdtrue");
        }
    }

    @Test
    void damageOfAPackLosesTheFilesThatHaveIt() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Chunk pack = volume.pack(small());
        volume.backup();
        volume.damage(pack.id(), "s1");
        volume.damage(pack.id(), "s2");
        List<String> lost = new ArrayList<>();
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, true, lost(lost));
            assertThat(report.copies().corrupt()).isEqualTo(2);
            assertThat(lost).as("the byte in the middle").containsExactly("/p/secondtrue");
        }
    }

    @Test
    void filesOfACompactedPackAreRecovered() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Chunk pack = volume.pack(small());
        catalog.remove(volume.file("/p/second"), 20);
        Chunk now = volume.compact(pack.id().version(), pack, new ByteRange(0, 10), new ByteRange(20, 10));
        volume.backup();
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, true, RecoveryListener.NONE);
            assertThat(report.copies().lostFiles()).isZero();
            assertThat(report.copies().found()).isEqualTo(2);
            assertThat(StoredVolume.files(other)).hasSize(2).isEqualTo(StoredVolume.files(catalog));
            assertCompacted(other, pack, now);
            assertThat(other.filesOf(now.id().version(), "", 10).items()).hasSize(2);
            assertThat(other.state(pack.id().version()))
                    .as("late copies of the replaced pack are known")
                    .contains(VersionState.OPEN);
        }
    }

    private static void assertCompacted(Catalog recovered, Chunk pack, Chunk now) throws CloudMwException {
        assertThat(recovered.packs("", 10).items())
                .extracting(FileVersion::id)
                .containsExactly(now.id().version());
        assertThat(recovered.relocation(pack.id().version()))
                .map(PackRelocation::chunk)
                .contains(now.id());
        byte[] segment = recovered.segment(now.id().version(), 0).orElseThrow();
        assertThat(ManifestSegment.decode(0, segment).chunks()).containsExactly(now);
    }

    /** The copies that the backup names are gone; nothing but the stores knows those of the new pack. */
    @Test
    void packThatWasCompactedAfterTheBackupIsFoundInStores() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Chunk pack = volume.pack(small());
        volume.backup();
        Chunk first = volume.compact(pack.id().version(), pack, new ByteRange(0, 10), new ByteRange(20, 10));
        List<String> lost = new ArrayList<>();
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, true, lost(lost));
            assertThat(report.copies().lostFiles()).isEqualTo(1);
            assertThat(lost).as("was removed before the compaction").containsExactly("/p/secondtrue");
            assertCompacted(other, pack, first);
        }
    }

    @Test
    void packThatWasCompactedTwiceAfterTheBackupIsFoundInStores() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Chunk pack = volume.pack(small());
        volume.backup();
        Chunk first = volume.compact(pack.id().version(), pack, new ByteRange(0, 10), new ByteRange(20, 10));
        Chunk second = volume.compact(pack.id().version(), first, new ByteRange(20, 10));
        volume.damage(second.id(), "s1");
        List<String> lost = new ArrayList<>();
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, true, lost(lost));
            assertThat(report.copies().corrupt()).as("of two copies").isEqualTo(1);
            assertThat(lost).containsExactlyInAnyOrder("/p/firsttrue", "/p/secondtrue");
            assertThat(other.packs("", 10).items())
                    .extracting(FileVersion::id)
                    .containsExactly(second.id().version());
        }
    }

    @Test
    void laterBackupHasThePlaceOfACompactedPack() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Chunk pack = volume.pack(small());
        BackupRoot first = volume.backup();
        Chunk now = volume.compact(pack.id().version(), pack, new ByteRange(10, 20));
        catalog.remove(volume.file("/p/first"), 20);
        rename("photos:/p/third", "photos:/p/renamed");
        volume.backup(first);
        try (Catalog other = openAnother()) {
            RecoveryReport report = volume.recover(other, true, RecoveryListener.NONE);
            assertThat(report.copies().lostFiles()).isZero();
            assertThat(StoredVolume.files(other)).hasSize(2).isEqualTo(StoredVolume.files(catalog));
            assertCompacted(other, pack, now);
        }
    }

    private static RecoveryListener lost(List<String> into) {
        return new RecoveryListener() {
            @Override
            public void lost(FilePath file, boolean certain) {
                into.add(file.path() + certain);
            }
        };
    }

    private static CurrentReplicas copies(Catalog catalog, FileVersion version, int chunk) throws CloudMwException {
        int index = chunk / 2;
        byte[] segment = catalog.segment(version.id(), index).orElseThrow();
        return ReplicaOverlay.of(catalog, ManifestSegment.decode(index, segment).chunks())
                .get(chunk % 2);
    }

    @Test
    void volumeIsRecoveredOnceAndOnlyIntoACatalogThatLostIt() throws Exception {
        StoredVolume volume = filled();
        volume.backup();
        refused(ErrorCode.ALREADY_EXISTS, () -> volume.recover(catalog, false, RecoveryListener.NONE));
        catalog.deleteVolume(StoredVolume.NAME, true, 10);
        refused(ErrorCode.CONFLICT, () -> volume.recover(catalog, false, RecoveryListener.NONE));
    }
}
