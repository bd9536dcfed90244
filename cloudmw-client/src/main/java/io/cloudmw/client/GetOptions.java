package io.cloudmw.client;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.VersionId;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a read. Immutable.
 *
 * @param version which version; empty: the current one
 * @param range which bytes, for reads in order; empty: all
 * @param mode how replicas compete in this get; empty: as in the volume
 * @param path by which path the bytes come; empty: as in the options of the client
 * @param durable whether a file is forced to the disk before it gets its name
 * @param resumable whether what arrived of a file stays for the next get of it when this one fails or is cancelled
 * @param listener told what happens
 * @param deadline how long it should take; empty: as the volume's target says, if it has one
 * @param priority how urgent it is to helpers; empty: {@code INTERACTIVE} for a range, {@code BATCH} otherwise
 */
public record GetOptions(
        Optional<VersionId> version,
        Optional<ByteRange> range,
        Optional<Mode> mode,
        Optional<ReadPath> path,
        boolean durable,
        boolean resumable,
        TransferListener listener,
        Optional<Duration> deadline,
        Optional<Priority> priority) {
    private static final GetOptions DEFAULTS = new GetOptions(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            true,
            false,
            TransferListener.NONE,
            Optional.empty(),
            Optional.empty());

    public GetOptions {
        deadline.ifPresent(GetOptions::requirePositive);
    }

    /** Checks a deadline. */
    static void requirePositive(Duration deadline) {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException(
                    "deadline: " + Durations.format(deadline) + " (expected: more, like 200ms or 2s)");
        }
    }

    /** The current version, whole, forced to the disk. */
    public static GetOptions defaults() {
        return DEFAULTS;
    }

    /** Reads this version instead of the current one. */
    public GetOptions withVersion(VersionId id) {
        return new GetOptions(Optional.of(id), range, mode, path, durable, resumable, listener, deadline, priority);
    }

    /** Reads these bytes only; for reads into a channel or a target, not for gets into a local file. */
    public GetOptions withRange(ByteRange bytes) {
        return new GetOptions(
                version, Optional.of(bytes), mode, path, durable, resumable, listener, deadline, priority);
    }

    /** Reads in this mode instead of the mode of the volume. */
    public GetOptions withMode(Mode instead) {
        return new GetOptions(
                version, range, Optional.of(instead), path, durable, resumable, listener, deadline, priority);
    }

    /**
     * Reads by this path instead of the path of the client. With {@code DIRECT} the read fails where the client cannot
     * read a store by itself.
     */
    public GetOptions withPath(ReadPath instead) {
        return new GetOptions(
                version, range, mode, Optional.of(instead), durable, resumable, listener, deadline, priority);
    }

    /** Sets whether a local file is forced to the disk before it gets its name. */
    public GetOptions withDurable(boolean value) {
        return new GetOptions(version, range, mode, path, value, resumable, listener, deadline, priority);
    }

    /**
     * Keeps the verified bytes in a temporary file beside the target when the get fails or is cancelled. The next get
     * of this target then fetches only the missing bytes. Network file systems keep no such file.
     */
    public GetOptions keepingWhatArrived() {
        return new GetOptions(version, range, mode, path, durable, true, listener, deadline, priority);
    }

    /** Sets the listener for the progress of the read. */
    public GetOptions withListener(TransferListener told) {
        return new GetOptions(version, range, mode, path, durable, resumable, told, deadline, priority);
    }

    /**
     * 99 of 100 such reads should take no longer. Unless a mode is given, the cheapest way that is expected to keep this is
     * chosen; the receipt says which, and whether it was kept.
     */
    public GetOptions withDeadline(Duration time) {
        return new GetOptions(version, range, mode, path, durable, resumable, listener, Optional.of(time), priority);
    }

    /** Helpers serve the more urgent first, and leave each class its share. {@code REPAIR} is the upkeep's own. */
    public GetOptions withPriority(Priority value) {
        if (value == Priority.REPAIR) {
            throw new IllegalArgumentException("priority: " + value + " (expected: INTERACTIVE, BATCH or PREFETCH)");
        }
        return new GetOptions(version, range, mode, path, durable, resumable, listener, deadline, Optional.of(value));
    }
}
