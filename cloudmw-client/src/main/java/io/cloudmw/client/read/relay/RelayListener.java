package io.cloudmw.client.read.relay;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Chunk;
import java.nio.ByteBuffer;

/** A listener to the events of one relay; called by any thread. */
public interface RelayListener {
    /** The next leaf, of so many bytes, was verified and handed on; its buffer is released. */
    void leafDelivered(RelayReceiver relay, int bytes);

    /** A leaf was verified and is about to be handed on: it may be kept for others, too. */
    default void verified(Chunk chunk, long offset, ByteBuffer leaf) {}

    /** A leaf did not match its digest. */
    void leafCorrupt(RelayReceiver relay, CloudMwException what);

    /** It broke, or sent what it should not. */
    void relayFailed(RelayReceiver relay, CloudMwException cause);

    /** Everything granted has arrived. */
    void starved(RelayReceiver relay);

    /** Closed, and nothing of it is held any more. */
    void drained(RelayReceiver relay);

    /** The destination failed: no relay can help. */
    void destinationFailed(CloudMwException cause);
}
