package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Chunk;
import java.nio.ByteBuffer;

/** Told how a relay fares, by any thread. */
interface RelayOwner {
    /** The next leaf, of so many bytes, was verified and handed on; its buffer is released. */
    void leafDelivered(Relay relay, int bytes);

    /** A leaf was verified and is about to be handed on: it may be kept for others, too. */
    default void verified(Chunk chunk, long offset, ByteBuffer leaf) {}

    /** A leaf did not match its digest. */
    void leafCorrupt(Relay relay, CloudMwException what);

    /** It broke, or sent what it should not. */
    void relayFailed(Relay relay, CloudMwException cause);

    /** Everything granted has arrived. */
    void starved(Relay relay);

    /** Closed, and nothing of it is held any more. */
    void drained(Relay relay);

    /** The destination failed: no relay can help. */
    void destinationFailed(CloudMwException cause);
}
