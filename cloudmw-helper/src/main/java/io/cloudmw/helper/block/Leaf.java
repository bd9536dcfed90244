package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * The bytes of one leaf, verified, for as long as somebody holds it. Whoever is given one holds it, and {@link #release}s
 * it once. Safe for any thread.
 */
public abstract class Leaf extends RefCounted {
    private final int length;
    private final int crc32c;

    Leaf(int length, int crc32c) {
        this.length = length;
        this.crc32c = crc32c;
    }

    public final int length() {
        return length;
    }

    public final int crc32c() {
        return crc32c;
    }

    /** Where its bytes are. */
    public enum Place {
        /** In direct memory, counted. */
        MEMORY,
        /** In a file of the spool. */
        SPOOL,
        /** Where they always are, on a disk of this helper. */
        STORE
    }

    public abstract Place place();

    /**
     * Writes its bytes; the caller holds it. Blocks on the disk.
     *
     * @param file empty
     */
    public abstract void copyTo(FileChannel file) throws IOException;

    /**
     * Sends it as one data frame; the caller holds it and has seen that the stream has the credit.
     *
     * @return as {@link BulkStream#send} answers
     */
    final CompletableFuture<Void> send(BulkStream stream) {
        if (!retain()) {
            throw new IllegalStateException("a leaf that nobody holds");
        }
        CompletableFuture<Void> sent;
        try {
            sent = sendHeld(stream);
        } catch (RuntimeException | Error e) {
            release();
            throw e;
        }
        return sent.whenComplete((nothing, error) -> release());
    }

    abstract CompletableFuture<Void> sendHeld(BulkStream stream);

    /** What it takes of this budget. */
    public long holds(ByteBudget budget) {
        return 0;
    }
}
