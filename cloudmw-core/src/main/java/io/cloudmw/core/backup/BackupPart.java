package io.cloudmw.core.backup;

import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;

/**
 * A file of records in a backup.
 *
 * @param file where it is kept
 * @param chunks all of it, with their digests
 * @param files how many records of present files it has
 */
public record BackupPart(FileVersion file, List<Chunk> chunks, long files) {
    public BackupPart {
        chunks = List.copyOf(chunks);
        long next = 0;
        for (Chunk chunk : chunks) {
            if (chunk.range().offset() != next) {
                throw new IllegalArgumentException("part " + file.id() + ": chunk " + chunk.id() + " is at "
                        + chunk.range().offset() + " (expected: at " + next + ")");
            }
            next = chunk.range().end();
        }
        if (next != file.sizeBytes()) {
            throw new IllegalArgumentException(
                    "part " + file.id() + ": its chunks have " + next + " bytes (expected: " + file.sizeBytes() + ")");
        }
    }
}
