package io.cloudmw.helper.fetch;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * The bytes of one leaf, verified, for as long as somebody holds it. Whoever is given one holds it, and {@link #release}s
 * it once. Safe for any thread.
 */
public abstract class Leaf extends Held {
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

    /** Holds it once more; false when nobody does any longer. */
    public final boolean retain() {
        return tryHold();
    }

    /** Lets go of it once; what is being sent goes first. */
    public final void release() {
        letGo();
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
        if (!tryHold()) {
            throw new IllegalStateException("a leaf that nobody holds");
        }
        CompletableFuture<Void> sent;
        try {
            sent = sendHeld(stream);
        } catch (RuntimeException | Error e) {
            letGo();
            throw e;
        }
        return sent.whenComplete((nothing, error) -> letGo());
    }

    abstract CompletableFuture<Void> sendHeld(BulkStream stream);

    /** What it takes of this budget. */
    long holds(ByteBudget budget) {
        return 0;
    }
}
