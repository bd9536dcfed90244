package io.cloudmw.lab.race;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.model.volume.Chunking;

/**
 * The layout of the files that are read.
 *
 * @param replicas of each chunk
 * @param helpers that are alive; 0: the client reads the stores itself
 */
public record Layout(Chunking chunking, int replicas, int helpers) {
    /** Returns the layout of the lab's own fleet, with each replica in a store of its own. */
    public static Layout made(int chunks, int replicas, int helpers) {
        LabSettings.between("n", chunks, 1, 1000);
        LabSettings.between("k", replicas, 1, 16);
        LabSettings.between("helpers", helpers, 1, 64);
        return new Layout(new Chunking.ByCount(chunks), replicas, helpers);
    }

    /** Returns the number of chunks of a file of {@code bytes}. */
    long chunks(long bytes) {
        return ChunkCutter.of(bytes, chunking).count();
    }
}
