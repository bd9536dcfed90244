package io.cloudmw.client;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * How to get. Immutable.
 *
 * @param version which version; empty: the current one
 * @param range which bytes, for reads in order; empty: all
 * @param durable whether a file is forced to the disk before it gets its name
 * @param listener told what happens
 */
public record GetOptions(
        Optional<VersionId> version, Optional<ByteRange> range, boolean durable, TransferListener listener) {
    private static final GetOptions DEFAULTS =
            new GetOptions(Optional.empty(), Optional.empty(), true, TransferListener.NONE);

    /** The current version, whole, forced to the disk. */
    public static GetOptions defaults() {
        return DEFAULTS;
    }

    public GetOptions withVersion(VersionId id) {
        return new GetOptions(Optional.of(id), range, durable, listener);
    }

    public GetOptions withRange(ByteRange bytes) {
        return new GetOptions(version, Optional.of(bytes), durable, listener);
    }

    public GetOptions withDurable(boolean value) {
        return new GetOptions(version, range, value, listener);
    }

    public GetOptions withListener(TransferListener told) {
        return new GetOptions(version, range, durable, told);
    }
}
