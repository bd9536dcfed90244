package io.cloudmw.core.race;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.trace.TraceParent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A block as it is issued to a helper, with the data to fetch and verify it.
 *
 * @param leafCrc32c CRC32C of the leaves of the block's range, in order; kept without copying
 * @param extra whether it is an extra beside another attempt: such reads use connections that are open already
 * @param replicas the stores of the chunk's replicas; the block's replica indexes point into it
 * @param token lets its bearer read the chunk; empty: the transfer's token does
 * @param trace the span of the attempt; empty: it is not traced
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content below
public record IssuedBlock(
        Block block,
        ChunkId chunk,
        long chunkLength,
        int leafSizeBytes,
        int[] leafCrc32c,
        List<StoreId> replicas,
        boolean extra,
        Optional<TransferToken> token,
        Optional<TraceParent> trace) {
    /** A block that is not traced. */
    public IssuedBlock(
            Block block,
            ChunkId chunk,
            long chunkLength,
            int leafSizeBytes,
            int[] leafCrc32c,
            List<StoreId> replicas,
            boolean extra,
            Optional<TransferToken> token) {
        this(block, chunk, chunkLength, leafSizeBytes, leafCrc32c, replicas, extra, token, Optional.empty());
    }

    /** A block for the transfer's token, which is not traced. */
    public IssuedBlock(
            Block block,
            ChunkId chunk,
            long chunkLength,
            int leafSizeBytes,
            int[] leafCrc32c,
            List<StoreId> replicas,
            boolean extra) {
        this(block, chunk, chunkLength, leafSizeBytes, leafCrc32c, replicas, extra, Optional.empty());
    }

    public IssuedBlock {
        replicas = List.copyOf(replicas);
    }

    /** The same block, traced as the given span. */
    public IssuedBlock tracedAs(Optional<TraceParent> span) {
        return new IssuedBlock(block, chunk, chunkLength, leafSizeBytes, leafCrc32c, replicas, extra, token, span);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IssuedBlock that
                && block.equals(that.block)
                && chunk.equals(that.chunk)
                && chunkLength == that.chunkLength
                && leafSizeBytes == that.leafSizeBytes
                && Arrays.equals(leafCrc32c, that.leafCrc32c)
                && replicas.equals(that.replicas)
                && extra == that.extra
                && token.equals(that.token)
                && trace.equals(that.trace);
    }

    @Override
    public int hashCode() {
        return block.hashCode() * 31 + chunk.hashCode();
    }

    @Override
    public String toString() {
        return "IssuedBlock[" + block + ", chunk=" + chunk + ", replicas=" + replicas + "]";
    }
}
