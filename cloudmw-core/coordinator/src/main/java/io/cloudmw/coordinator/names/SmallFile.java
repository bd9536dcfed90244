package io.cloudmw.coordinator.names;

import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.core.model.chunk.Chunk;
import java.util.Optional;

/**
 * A file that may be in a pack.
 *
 * @param packed its place there; empty: it was not requested, or the file is not one slice of a pack
 */
public record SmallFile(CurrentFile file, Optional<Packed> packed) {
    /**
     * The slice of a pack that has all bytes of a file.
     *
     * @param chunk where the bytes are now
     * @param inManifest the manifest's only chunk: another one when the pack was compacted
     */
    public record Packed(Chunk chunk, Chunk inManifest) {}
}
