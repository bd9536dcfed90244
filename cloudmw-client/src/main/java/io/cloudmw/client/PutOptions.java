package io.cloudmw.client;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.PutCondition;
import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * How to put. Immutable.
 *
 * @param listener told what happens
 * @param condition what the path must name; empty: whatever it names when the put begins
 */
public record PutOptions(TransferListener listener, Optional<PutCondition> condition) {
    private static final PutOptions DEFAULTS = new PutOptions(TransferListener.NONE, Optional.empty());

    public static PutOptions defaults() {
        return DEFAULTS;
    }

    public PutOptions withListener(TransferListener told) {
        return new PutOptions(told, condition);
    }

    /** Fails with {@code CONFLICT} where there is a file already; of several such puts at once one succeeds. */
    public PutOptions ifAbsent() {
        return new PutOptions(listener, Optional.of(PutCondition.ABSENT));
    }

    /** Fails with {@code CONFLICT} where the path names another version, or nothing. */
    public PutOptions ifVersion(VersionId version) {
        return new PutOptions(listener, Optional.of(PutCondition.version(version)));
    }
}
