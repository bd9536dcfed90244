package io.cloudmw.client.peer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.PeerId;
import java.util.Optional;

/** A client in its role as a peer: it holds the chunks that it reads and serves them to other clients. Safe for any thread. */
public interface PeerNode extends AutoCloseable {
    /** The id of this peer, new for each start. */
    PeerId id();

    /** The address under which other clients reach this peer, {@code host:port}. */
    String address();

    /** The number of complete chunks that can be served now. */
    int heldChunks();

    /** The bytes of the complete chunks that can be served now. */
    long heldBytes();

    /** The bytes sent to other clients so far. */
    long sentBytes();

    /** The number of requests of other clients that were refused so far. */
    long refusals();

    /**
     * Waits until the chunks that were read so far are on the disk. Blocks.
     *
     * @throws InterruptedException when the thread is interrupted
     */
    void awaitWritten() throws InterruptedException;

    /** Returns true when the coordinator knows everything that is held now. */
    boolean isAnnounced();

    /** The failure of the last announcement; empty when it succeeded, or there was none yet. */
    Optional<CloudMwException> announcementFailure();

    /** Withdraws the announcement, waiting at most a second, and stops to serve. Blocks. Idempotent. */
    @Override
    void close();
}
