package io.cloudmw.coordinator.upload;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.CatalogErrors;
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
 * Changing part of a file: a new version that shares the chunks that stay as they are. What follows the beginning are the calls of
 * {@link Uploads}; nothing is remembered between them.
 */
public final class Edits {
    private final Catalog catalog;

    public Edits(Catalog catalog) {
        this.catalog = catalog;
    }

    /**
     * Says how a change is written.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when a file that is to be truncated is not there;
     *     {@code INVALID_ARGUMENT} when the change begins beyond the end of the file, or it would have too many chunks; what
     *     {@link Catalog#checkPath} says of the path
     */
    public EditPlan begin(FilePath file, Edit edit) throws CloudMwException {
        Volume volume = catalog.volume(file.volume()).orElseThrow(() -> CatalogErrors.volumeNotFound(file.volume()));
        Optional<FileVersion> base = catalog.current(file);
        if (base.isEmpty() && edit.kind() == Edit.Kind.TRUNCATE) {
            throw CatalogErrors.fileNotFound(file);
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
