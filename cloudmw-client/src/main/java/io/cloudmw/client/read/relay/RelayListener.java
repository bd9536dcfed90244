package io.cloudmw.client.read.relay;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.chunk.Chunk;
import java.nio.ByteBuffer;

/** A listener to the events of one relay; called by any thread. */
public interface RelayListener {
    /** The next leaf, of so many bytes, was verified and handed on; its buffer is released. */
    void leafDelivered(RelayReceiver relay, int bytes);

    /** A leaf was verified and is about to be handed on; the listener may copy it. */
    default void verified(Chunk chunk, long offset, ByteBuffer leaf) {}

    /** A leaf did not match its digest. */
    void leafCorrupt(RelayReceiver relay, CloudMwException what);

    /** The relay broke, or violated the protocol. */
    void relayFailed(RelayReceiver relay, CloudMwException cause);

    /** All granted bytes have arrived. */
    void starved(RelayReceiver relay);

    /** The relay is closed and holds no memory any more. */
    void drained(RelayReceiver relay);

    /** The destination failed: no relay can help. */
    void destinationFailed(CloudMwException cause);
}
