package io.cloudmw.client.lock;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockClaim;
import java.util.concurrent.CompletableFuture;

/**
 * A lock on a range of a file that excludes other locks in the cluster, until it is released. It is advisory: reads and
 * writes without a lock go on. It belongs to a path, whether or not there is a file, and does not follow renames.
 *
 * <p>This client renews the lock in the background. A lock whose renewals fail for its term is lost, since another client
 * may have got one. A put {@link io.cloudmw.client.PutOptions#under under} a lock is committed only if nobody got the
 * range meanwhile, whatever clocks and pauses did. Safe for any thread.
 */
public interface RemoteLock extends AutoCloseable {
    /** The largest number of locks that one client holds. */
    int MAX_OPEN = 1024;

    /** The path of the file. */
    FilePath file();

    /** The range, kind and term of the lock. */
    LockOptions options();

    /**
     * The lock's id and fence. Fences grow from lock to lock in a volume: a system beside this cluster can refuse requests
     * with a lower fence than it has seen.
     */
    LockClaim claim();

    /** Returns whether the lock is neither released nor lost, as far as this client's clock tells. */
    boolean isHeld();

    /** Returns whether the lock was released, by {@link #release} or {@link #close}. */
    boolean isReleased();

    /** The end of the lock: done when it was released; fails with {@code LOCK_LOST} when it was lost. */
    CompletableFuture<Void> ended();

    /**
     * Releases the lock. Idempotent.
     *
     * @return done when a coordinator has confirmed it, also when the lock was lost before; after a failure, the lock ends
     *     with its term
     */
    CompletableFuture<Void> release();

    /** Releases the lock, without waiting for the coordinator. Idempotent. */
    @Override
    void close();
}
