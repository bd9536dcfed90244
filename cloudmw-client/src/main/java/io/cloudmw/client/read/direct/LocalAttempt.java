package io.cloudmw.client.read.direct;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;

/** An in-process attempt at a block of one replica. Any thread may cancel or close it. */
interface LocalAttempt extends Runnable, AutoCloseable {
    /** Called by any thread, one call at a time. {@link #finished} or {@link #failed} is the last call. */
    interface Listener {
        /** The attempt begins to read its store. */
        void began(LocalAttempt attempt);

        void progressed(LocalAttempt attempt);

        void finished(LocalAttempt attempt);

        void failed(LocalAttempt attempt, CloudMwException cause);
    }

    AttemptId id();

    Block block();

    Chunk chunk();

    StoreId store();

    /** Bytes that came from the store so far. */
    long bytes();

    /** Begins the attempt; may block. */
    @Override
    void run();

    /** Stops the attempt at once: it fails with {@code CANCELLED} unless it is over. Idempotent. */
    void cancel();

    /** Stops the attempt and drops what it holds. Idempotent. */
    @Override
    void close();
}
