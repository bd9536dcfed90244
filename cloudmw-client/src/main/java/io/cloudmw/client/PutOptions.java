package io.cloudmw.client;

import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.PutCondition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The options of a put. Immutable.
 *
 * @param listener the listener for the progress
 * @param condition the version that the path must name; empty: the version that it names when the put begins
 * @param journals the directory for the journals of resumable puts; empty: puts are not resumable
 * @param locks the locks on the file under which it is committed
 * @param attributes given to the file if the put creates it; a file that exists keeps its own
 */
public record PutOptions(
        TransferListener listener,
        Optional<PutCondition> condition,
        Optional<Path> journals,
        List<RemoteLock> locks,
        Attributes attributes) {
    private static final PutOptions DEFAULTS =
            new PutOptions(TransferListener.NONE, Optional.empty(), Optional.empty(), List.of(), Attributes.NONE);

    public PutOptions {
        locks = List.copyOf(locks);
    }

    /** The defaults: no condition, no listener, not resumable, no locks, no attributes. */
    public static PutOptions defaults() {
        return DEFAULTS;
    }

    /** Sets the listener for the progress of the put. */
    public PutOptions withListener(TransferListener told) {
        return new PutOptions(told, condition, journals, locks, attributes);
    }

    /** Fails with {@code CONFLICT} where there is a file already; of several such puts at once one succeeds. */
    public PutOptions ifAbsent() {
        return new PutOptions(listener, Optional.of(PutCondition.ABSENT), journals, locks, attributes);
    }

    /** Fails with {@code CONFLICT} where the path names another version, or nothing. */
    public PutOptions ifVersion(VersionId version) {
        return new PutOptions(listener, Optional.of(PutCondition.version(version)), journals, locks, attributes);
    }

    /**
     * Makes the put resumable: a repeated put sends only the chunks that an interrupted one has not stored. A put
     * starts over when the file has changed, or when the coordinator has abandoned the upload.
     *
     * <p>Each put of a MiB or more keeps a journal in this directory until it succeeds. The client deletes journals
     * that no put has touched for a week. A put that cannot write its journal runs without one, and cannot be resumed.
     *
     * @param directory made if it does not exist
     */
    public PutOptions resumable(Path directory) {
        return new PutOptions(listener, condition, Optional.of(directory), locks, attributes);
    }

    /**
     * Commits under a lock on the file: when the lock is lost before, and another client has asked for one, the put fails
     * with {@code LOCK_LOST} and leaves the file as it was. A lock that was released by then has no effect.
     */
    public PutOptions under(RemoteLock lock) {
        List<RemoteLock> more = new ArrayList<>(locks);
        more.add(lock);
        return new PutOptions(listener, condition, journals, more, attributes);
    }

    /** Sets the attributes of a file that the put creates. They appear together with the file. */
    public PutOptions withAttributes(Attributes initial) {
        return new PutOptions(listener, condition, journals, locks, initial);
    }

    PutTerms terms() {
        return new PutTerms(condition, locks, attributes);
    }
}
