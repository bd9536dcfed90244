package io.cloudmw.client.progress;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FileVersion;
import java.util.List;

/**
 * Told what happens in one transfer, by one thread at a time, in order. It must not block: the transfer waits for it.
 * What it throws is logged and ignored.
 */
public interface TransferListener {
    /** Hears nothing. */
    TransferListener NONE = new TransferListener() {};

    /** A get knows what it will read; {@code racers} are the helpers in rank order. */
    default void planned(FileVersion version, List<String> racers) {}

    /** A put goes on where an earlier one was interrupted: so many bytes are stored already, at least one. */
    default void resumed(long bytes) {}

    /**
     * A get goes on where an earlier one was interrupted: so many bytes may be there already, at least one. Each is
     * verified before it counts.
     */
    default void resuming(long mostBytes) {}

    /**
     * An earlier, interrupted transfer moved so many of the bytes that {@link #progressed} counts next: this one does not move
     * them. The number never falls.
     */
    default void reused(long bytes) {}

    /** A put does not go on where an earlier one was interrupted, but begins anew. */
    default void begunAnew(String why) {}

    /** A put has made no progress for two seconds; told again each second until it makes some. */
    default void waiting(PutDelay delay) {}

    /**
     * {@code done} of {@code total} bytes were verified and handed on (get), or stored (put). {@code done} never falls: what is
     * fetched or sent again does not count twice. {@code total} is negative as long as nobody knows: a stream that is put may
     * end later.
     */
    default void progressed(long done, long total) {}

    /** A put has sent so many bytes, of which some are not stored yet. The number never falls. */
    default void sent(long bytes) {}

    /** An attempt started, progressed or ended. */
    default void attempted(Attempt attempt) {}

    /** All of a racer's share of a chunk was delivered. */
    default void won(Win win) {}

    /** A replica was found missing or corrupt. */
    default void faulted(ReplicaFault fault) {}

    /** A racer can no longer be used in this transfer. */
    default void racerGone(String racer, ErrorCode why) {}

    /** No helper was left: the client races by itself. */
    default void racingLocally() {}
}
