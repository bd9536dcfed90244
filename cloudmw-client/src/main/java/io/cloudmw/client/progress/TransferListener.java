package io.cloudmw.client.progress;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;

/**
 * A listener to one transfer, called by one thread at a time, in order. It must not block, because the transfer waits
 * for it. Exceptions that it throws are logged and ignored.
 */
public interface TransferListener {
    /** A listener that ignores everything. */
    TransferListener NONE = new TransferListener() {};

    /** A get knows its version; {@code racers} are the helpers in rank order. */
    default void planned(FileVersion version, List<String> racers) {}

    /** A put continues an interrupted one: so many bytes, at least one, are stored already. */
    default void resumed(long bytes) {}

    /**
     * A get continues an interrupted one: up to so many bytes, at least one, are here already. Each is verified before
     * it counts.
     */
    default void resuming(long mostBytes) {}

    /**
     * An earlier, interrupted transfer moved so many of the bytes that {@link #progressed} counts next. The number
     * never falls.
     */
    default void reused(long bytes) {}

    /** A put cannot continue an interrupted one, and begins anew. */
    default void begunAnew(String why) {}

    /** A put has made no progress for two seconds. Repeated each second until it makes some. */
    default void waiting(PutDelay delay) {}

    /**
     * {@code done} of {@code total} bytes were verified and handed on (get), or stored (put). {@code done} never falls:
     * bytes that are fetched or sent again count once. {@code total} is negative while it is unknown, for a stream that
     * is put.
     */
    default void progressed(long done, long total) {}

    /** A put has sent so many bytes, some of which are not stored yet. The number never falls. */
    default void sent(long bytes) {}

    /** An attempt started, progressed or ended. */
    default void attempted(Attempt attempt) {}

    /** A racer's whole share of a chunk was delivered. */
    default void won(Win win) {}

    /** A replica was found missing or corrupt. */
    default void faulted(ReplicaFault fault) {}

    /** A racer can no longer be used in this transfer. */
    default void racerGone(String racer, ErrorCode why) {}

    /** No helper is left: the client races in-process. */
    default void racingLocally() {}
}
