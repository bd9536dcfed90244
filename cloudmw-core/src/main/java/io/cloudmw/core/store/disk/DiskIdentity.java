package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.StoreIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity of the disk that holds a directory. A directory without one draws a candidate and keeps it beside. The
 * candidate becomes the identity when the cluster accepts the disk; until then puts fail. Safe for any thread.
 */
public final class DiskIdentity {
    private static final Logger LOG = LoggerFactory.getLogger(DiskIdentity.class);

    private final StoreId id;
    private final DiskLayout layout;
    private volatile StoreIdentity identity;
    private volatile boolean empty;

    private DiskIdentity(StoreId id, DiskLayout layout, StoreIdentity identity, boolean empty) {
        this.id = id;
        this.layout = layout;
        this.identity = identity;
        this.empty = empty;
    }

    /** Reads the identity, or draws a candidate. Called with the directory's lock held. */
    static DiskIdentity open(StoreId id, DiskLayout layout) throws IOException {
        Optional<StoreIdentity> written = layout.read(id, layout.identity());
        if (written.isPresent() && written.get().isKnown()) {
            Files.deleteIfExists(layout.candidate());
            return new DiskIdentity(id, layout, written.get(), false);
        }
        StoreIdentity waiting = layout.read(id, layout.candidate()).orElse(StoreIdentity.NONE);
        if (!waiting.isKnown()) {
            waiting = StoreIdentity.random("");
            layout.write(id, layout.candidate(), waiting);
        }
        return new DiskIdentity(id, layout, waiting, written.isEmpty());
    }

    /** The identity that the directory has, or the candidate. */
    public StoreIdentity identity() {
        return identity;
    }

    /** Returns whether the directory has no identity file, not even one of a release before identities. */
    public boolean isEmpty() {
        return empty;
    }

    /**
     * Writes the identity after the cluster has accepted the disk. Does nothing when it is written already. Does
     * nothing when the disk had one and is gone, either: the directory below a mount point must not look like the
     * disk.
     *
     * @throws CloudMwException when the disk cannot be written
     */
    public synchronized void accepted(String cluster) throws CloudMwException {
        StoreIdentity accepted = identity.in(cluster);
        try {
            Optional<StoreIdentity> written = layout.read(id, layout.identity());
            if (written.isEmpty() && !empty) {
                LOG.warn("store {}: {} is gone; not mounted any more?", id, layout.root());
                return;
            }
            if (!written.equals(Optional.of(accepted))) {
                layout.write(id, layout.identity(), accepted);
            }
            Files.deleteIfExists(layout.candidate());
        } catch (IOException e) {
            throw DiskErrors.translate(id, layout.identity().toString(), e);
        }
        identity = accepted;
        empty = false;
    }

    /** Refuses puts before the cluster has accepted the disk, and when the disk is gone. */
    void requireAccepted(String what) throws CloudMwException {
        if (!empty && !Files.exists(layout.identity())) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    what + " store=" + id + ": " + layout.root() + " is gone; not mounted any more?");
        }
        if (empty) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    what + " store=" + id + ": the cluster has not accepted the disk in " + layout.root() + " yet");
        }
    }
}
