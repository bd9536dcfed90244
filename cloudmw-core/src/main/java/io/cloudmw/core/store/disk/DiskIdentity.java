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
 * Which disk a directory is. A directory without an identity has one that waits: it is kept beside, and takes its place when the
 * cluster accepts the disk. Until then nothing may be put there. Safe for any thread.
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

    /** Reads it, or draws one that waits. Called with the directory's lock held. */
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

    /** The identity that the directory has, or will have. */
    public StoreIdentity identity() {
        return identity;
    }

    /** Returns whether the directory has no identity file, not even one of a release before identities. */
    public boolean isEmpty() {
        return empty;
    }

    /**
     * Writes the identity: the cluster has taken the disk in. Does nothing when it is written already, or when the disk had one and
     * is gone: what its directory is then, below a mount point, must not look like the disk.
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

    /** Refuses to put anything where the cluster has not taken the disk in yet, or where the disk is gone. */
    void requireAccepted(String what) throws CloudMwException {
        if (!empty && !Files.exists(layout.identity())) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    what + " store=" + id + ": " + layout.root() + " is gone; not mounted any more?");
        }
        if (empty) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    what + " store=" + id + ": the cluster has not taken in the disk in " + layout.root() + " yet");
        }
    }
}
