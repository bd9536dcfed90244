package io.cloudmw.core.mode;

/** Which helpers keep what, where some do: a block is asked of the one it belongs to, so that it is fetched once for all. */
@FunctionalInterface
public interface BlockOwners {
    /** Nothing belongs to any helper in particular. */
    BlockOwners NONE = (chunkIndex, offset) -> new int[0];

    /**
     * The ranks of the helpers a block belongs to, in the order in which they are asked; empty: any may be asked.
     *
     * @param chunkIndex the chunk's position in the file
     * @param offset of the block in the chunk
     */
    int[] of(long chunkIndex, long offset);
}
