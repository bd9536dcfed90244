package io.cloudmw.coordinator.upload;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Volume;
import java.util.Optional;

/**
 * The edits of files: each makes a new version that shares the unchanged chunks. After the beginning, an edit uses the
 * calls of {@link Uploads}; no state is kept between calls. Safe for any thread; calls block on the catalog.
 */
public final class Edits {
    private final Catalog catalog;

    public Edits(Catalog catalog) {
        this.catalog = catalog;
    }

    /**
     * Returns the plan of an edit.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when a file to truncate does not exist;
     *     {@code INVALID_ARGUMENT} when the edit begins beyond the end of the file, or the file would have too many
     *     chunks; the errors of {@link Catalog#checkPath} for the path
     */
    public EditPlan begin(FilePath file, Edit edit) throws CloudMwException {
        Volume volume = catalog.volume(file.volume()).orElseThrow(() -> CatalogErrors.volumeNotFound(file.volume()));
        Optional<FileVersion> base = catalog.current(file);
        if (base.isEmpty() && edit.kind() == Edit.Kind.TRUNCATE) {
            throw PathErrors.fileNotFound(file);
        }
        catalog.checkPath(file);
        long before = base.map(FileVersion::sizeBytes).orElse(0L);
        ByteRange written;
        try {
            written = edit.written(before);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
        long after = edit.sizeAfter(before);
        ManifestPlan manifest =
                base.isPresent() ? FileLayout.changed(volume, base.get(), after) : FileLayout.anew(volume, after);
        long chunkSize = base.filter(version -> version.leafSizeBytes() == manifest.leafSizeBytes())
                .map(version -> FileLayout.chunkSize(volume, version))
                .orElse(0L);
        return new EditPlan(manifest, base, chunkSize, written, volume.writeQuorum());
    }
}
