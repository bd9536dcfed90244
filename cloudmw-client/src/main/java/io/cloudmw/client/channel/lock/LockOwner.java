package io.cloudmw.client.channel.lock;

import io.cloudmw.client.lock.RemoteLock;
import java.io.IOException;

/** The channel to which locks belong. Safe for any thread. */
public interface LockOwner {
    boolean isOpen();

    /** Makes what was written under a lock visible, then releases the lock. */
    void release(RemoteLock lock) throws IOException;
}
