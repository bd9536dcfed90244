package io.cloudmw.coordinator.upload;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;
import java.util.Optional;

/**
 * The entries of files whose bytes are in the pack of the same commit.
 *
 * @param pack the chunk of the pack; empty: there is none
 */
record PackEntries(Optional<Chunk> pack) implements ForeignEntries {
    @Override
    public void require(Chunk chunk, int segment) throws CloudMwException {
        boolean allowed = pack.isPresent()
                && chunk.id().slice().isPresent()
                && chunk.id().stored().equals(pack.get().id())
                && new ByteRange(0, pack.get().range().length())
                        .contains(chunk.id().slice().get())
                && chunk.replicas().equals(pack.get().replicas());
        if (!allowed) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "chunk " + chunk.index() + " is named " + chunk.id() + " in " + chunk.replicas()
                            + " (expected: its own, or a slice of "
                            + pack.map(whole -> whole.id() + " in " + whole.replicas())
                                    .orElse("a pack, of which there is none")
                            + ")");
        }
    }
}
