package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * The verified bytes of one leaf, kept as long as there is a reference. The receiver of a leaf owns one reference and
 * {@link #release}s it once. Safe for any thread.
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

    /** The place of a leaf's bytes. */
    public enum Place {
        /** Direct memory, counted in a budget. */
        MEMORY,
        /** A file of the spool. */
        SPOOL,
        /** The file in which a disk of this helper keeps them anyway. */
        STORE
    }

    public abstract Place place();

    /**
     * Writes the bytes to a file. The caller holds a reference. Blocks on the disk.
     *
     * @param file an empty file
     */
    public abstract void copyTo(FileChannel file) throws IOException;

    /**
     * Sends the leaf as one data frame. The caller holds a reference and has checked that the stream has the credit.
     *
     * @return the future of {@link BulkStream#send}
     */
    final CompletableFuture<Void> send(BulkStream stream) {
        if (!retain()) {
            throw new IllegalStateException("a leaf without a reference was sent");
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

    /** Bytes that this leaf takes of a budget. */
    public long holds(ByteBudget budget) {
        return 0;
    }
}
