package io.cloudmw.client;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.PutCondition;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The options of a put. Immutable.
 *
 * @param listener told what happens
 * @param condition what the path must name; empty: whatever it names when the put begins
 * @param journals where puts of files note what they have stored; empty: nowhere
 */
public record PutOptions(TransferListener listener, Optional<PutCondition> condition, Optional<Path> journals) {
    private static final PutOptions DEFAULTS =
            new PutOptions(TransferListener.NONE, Optional.empty(), Optional.empty());

    /** The defaults: no condition, no listener, not resumable. */
    public static PutOptions defaults() {
        return DEFAULTS;
    }

    /** Sets the listener for the progress of the put. */
    public PutOptions withListener(TransferListener told) {
        return new PutOptions(told, condition, journals);
    }

    /** Fails with {@code CONFLICT} where there is a file already; of several such puts at once one succeeds. */
    public PutOptions ifAbsent() {
        return new PutOptions(listener, Optional.of(PutCondition.ABSENT), journals);
    }

    /** Fails with {@code CONFLICT} where the path names another version, or nothing. */
    public PutOptions ifVersion(VersionId version) {
        return new PutOptions(listener, Optional.of(PutCondition.version(version)), journals);
    }

    /**
     * A put of a file that was interrupted, however it was, goes on when it is repeated: only chunks that are not stored yet
     * are sent, unless the file was changed since, or the upload was given up by the coordinator. What was stored is noted in
     * a file of this directory for each put of a MiB or more, until it has succeeded; such files that nobody has
     * touched for a week are deleted. Where none can be written the put cannot go on, and is as any.
     *
     * @param directory made if it does not exist
     */
    public PutOptions resumable(Path directory) {
        return new PutOptions(listener, condition, Optional.of(directory));
    }
}
