package io.cloudmw.client.file;

import io.cloudmw.core.error.CloudMwException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** A watch of the names of a volume, open until it is closed. Safe for any thread. */
public interface Watch extends AutoCloseable {
    /** The largest number of open watches of one client. */
    int MAX_OPEN = 128;

    /**
     * The position from which the watch tells changes, done when a coordinator has confirmed it. The listener gets every
     * change after this position. Fails as {@link #done} does.
     */
    CompletableFuture<Long> started();

    /** The position up to which every change was told, or does not touch the path; empty before the start. */
    OptionalLong position();

    /**
     * The end of the watch: done when the watch was closed or its volume deleted. Fails with a {@link CloudMwException}
     * when the watch could not go on, or its client was closed. The listener is not called any more after that, except
     * that a call under way goes on.
     */
    CompletableFuture<Void> done();

    /** Ends the watch, at the coordinator too. Does not wait for the listener. Idempotent. */
    @Override
    void close();
}
