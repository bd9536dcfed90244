package io.cloudmw.coordinator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.testing.backup.StoredVolume;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.backup.ExportPage;
import io.cloudmw.core.backup.ExportRecord;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.wire.BackupWire;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VolumeExportTest {
    private static final int MANY = 100_000;

    private final Catalog catalog = new InMemoryCatalog();

    /** Few names let paths collide; directories are three deep. */
    private static String path(SplittableRandom random, int depth) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            path.append('/').append((char) ('a' + random.nextInt(4)));
        }
        return path.toString();
    }

    private void change(StoredVolume volume, SplittableRandom random) throws CloudMwException {
        FilePath one = volume.file(path(random, 1 + random.nextInt(3)));
        FilePath other = volume.file(path(random, 1 + random.nextInt(3)));
        try {
            switch (random.nextInt(14)) {
                case 0, 1 -> volume.put(one.path(), new byte[random.nextInt(20_000)]);
                case 2 -> catalog.remove(one, 5);
                case 3 ->
                    catalog.setAttributes(new AttributeChange(one, Map.of("n", "" + random.nextInt(9)), Set.of()), 5);
                case 4 -> snapshot();
                case 5, 6 -> catalog.snapshots().restore("s", one, 5);
                case 7 -> catalog.createDirectory(one, random.nextBoolean(), ChangeRequest.once(6));
                case 8 -> catalog.removeDirectory(one, ChangeRequest.once(7));
                case 9 -> catalog.remove(one, true, ChangeRequest.once(8));
                case 13 -> volume.pack(Map.of(one.path(), new byte[3], one.path() + "x", new byte[5]));
                case 10 -> catalog.copy(new FileCopy(one, other, true), ChangeRequest.once(9));
                default -> catalog.rename(new Rename(one, other, true, random.nextBoolean()), 5);
            }
        } catch (CloudMwException e) {
            // Many of the random operations are impossible.
            assertThat(e.code())
                    .isIn(
                            ErrorCode.NOT_FOUND,
                            ErrorCode.ALREADY_EXISTS,
                            ErrorCode.NOT_EMPTY,
                            ErrorCode.INVALID_ARGUMENT);
        }
    }

    /** Takes a snapshot of all files: a file that is renamed and then restored has two names. */
    private void snapshot() throws CloudMwException {
        if (!catalog.snapshots().of(StoredVolume.NAME).isEmpty()) {
            catalog.snapshots().remove(StoredVolume.NAME, "s");
        }
        catalog.snapshots().create(StoredVolume.NAME, "s", 5);
    }

    /**
     * The export, in pieces of few places, ends with the records of the volume at the end, whatever changes meanwhile.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void exportOfAChangingVolumeIsTheVolumeAtOneMoment(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        StoredVolume volume = new StoredVolume(catalog);
        VolumeExport export = new VolumeExport(catalog, 2000, 2);
        for (int i = 0; i < 60; i++) {
            change(volume, random);
        }
        int[] left = {150};
        StoredVolume.Meanwhile meanwhile = () -> {
            for (int i = random.nextInt(3); i > 0 && left[0] > 0; i--) {
                left[0]--;
                change(volume, random);
            }
        };
        BackupRoot first = volume.backup(export, Optional.empty(), meanwhile);
        same(volume, first);
        for (int i = 0; i < 40; i++) {
            change(volume, random);
        }
        left[0] = 60;
        same(volume, volume.backup(export, Optional.of(first), meanwhile));
    }

    @Test
    void packIsExportedOnceInAPieceBeforeItsFiles() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        Map<String, byte[]> contents = new TreeMap<>();
        for (int i = 0; i < 10; i++) {
            contents.put("/" + i, new byte[] {(byte) i});
        }
        VersionId pack = volume.pack(contents).id().version();
        VolumeExport export = new VolumeExport(catalog, 2000, 200);
        Optional<ExportCursor> cursor = Optional.empty();
        int pieces = 0;
        do {
            ExportPage page = export.next(StoredVolume.NAME, OptionalLong.empty(), cursor);
            List<ExportRecord> packs = page.records().stream()
                    .filter(entry -> entry instanceof ExportRecord.Segment segment
                            && segment.version().equals(pack))
                    .toList();
            boolean files = page.records().stream().anyMatch(entry -> entry instanceof ExportRecord.Present);
            assertThat(packs).hasSize(files ? 1 : 0);
            pieces += files ? 1 : 0;
            cursor = page.next();
        } while (cursor.isPresent());
        assertThat(pieces).as("pieces with files").isGreaterThan(1);
    }

    private void same(StoredVolume volume, BackupRoot root) throws CloudMwException {
        assertThat(root.position()).isEqualTo(catalog.changes().position(StoredVolume.NAME));
        try (Catalog other = new InMemoryCatalog()) {
            assertThat(volume.recover(other, false, RecoveryListener.NONE)
                            .root()
                            .number())
                    .isEqualTo(root.number());
            assertThat(StoredVolume.files(other)).isEqualTo(StoredVolume.files(catalog));
        }
    }

    @Test
    void exportCoversEverythingWhenTheChangesAreNoLongerInTheLog() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        volume.put("/a", new byte[10]);
        BackupRoot first = volume.backup();
        volume.put("/b", new byte[10]);
        volume.put("/c", new byte[10]);
        catalog.changes().prune(Long.MAX_VALUE, 0);
        BackupRoot second = volume.backup(first);
        assertThat(second.parts()).hasSize(1);
        same(volume, second);
    }

    @Test
    void exportFailsWithConflictWhenTheLogLosesChangesMeanwhile() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        volume.put("/a", new byte[10]);
        volume.put("/b", new byte[10]);
        VolumeExport export = new VolumeExport(catalog, 1, 1);
        ExportPage page = export.next(StoredVolume.NAME, OptionalLong.empty(), Optional.empty());
        volume.put("/c", new byte[10]);
        catalog.changes().prune(Long.MAX_VALUE, 0);
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> {
            ExportPage next = page;
            while (next.next().isPresent()) {
                next = export.next(StoredVolume.NAME, OptionalLong.empty(), next.next());
            }
        });
        assertThat(failure.code()).isEqualTo(ErrorCode.CONFLICT);
    }

    /** Cursors and pieces stay small however large the directory is. */
    @Test
    void piecesAndCursorsAreBounded() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        for (int i = 0; i < MANY; i++) {
            volume.put("/d/" + i, new byte[i % 2]);
        }
        VolumeExport export = new VolumeExport(catalog);
        Optional<ExportCursor> cursor = Optional.empty();
        long files = 0;
        do {
            ExportPage page = export.next(StoredVolume.NAME, OptionalLong.empty(), cursor);
            files += page.files();
            cursor = page.next();
            assertThat(BackupWire.page(page).getSerializedSize()).isLessThan(2 * VolumeExport.PAGE_BYTES);
            assertThat(cursor.map(next -> next.places().size()).orElse(0)).isLessThan(300);
        } while (cursor.isPresent());
        assertThat(files).isEqualTo(MANY);
    }

    @Test
    void exportOfAVolumeThatAlwaysChangesIsAbandoned() throws Exception {
        StoredVolume volume = new StoredVolume(catalog);
        volume.put("/a", new byte[0]);
        ExportCursor late = new ExportCursor(0, List.of(), VolumeExport.MAX_ROUNDS);
        CloudMwException failure = catchThrowableOfType(
                CloudMwException.class,
                () -> new VolumeExport(catalog).next(StoredVolume.NAME, OptionalLong.empty(), Optional.of(late)));
        assertThat(failure.code()).isEqualTo(ErrorCode.OVERLOADED);
    }
}
