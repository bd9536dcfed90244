package io.cloudmw.core.mode;

/**
 * The helpers that own each block, where a volume is read through switches. A block is asked of its owner, so that it
 * is fetched once for all readers.
 */
@FunctionalInterface
public interface BlockOwners {
    /** No helper owns a block: any may be asked. */
    BlockOwners NONE = (chunkIndex, offset) -> new int[0];

    /**
     * The ranks of the helpers that own a block, in the order in which they are asked; empty: any may be asked.
     *
     * @param chunkIndex the chunk's position in the file
     * @param offset of the block in the chunk
     */
    int[] of(long chunkIndex, long offset);
}
