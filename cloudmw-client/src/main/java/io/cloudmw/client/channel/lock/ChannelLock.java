package io.cloudmw.client.channel.lock;

import io.cloudmw.client.lock.RemoteLock;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;

/** A lock of a channel. It is valid until it is released, the channel is closed, or the lock is lost. */
public final class ChannelLock extends FileLock {
    private final LockOwner owner;
    private final RemoteLock remote;

    /** A lock of a channel, which is {@code owner}, too. */
    public ChannelLock(FileChannel channel, LockOwner owner, LockedRange range, RemoteLock remote) {
        super(channel, range.from(), range.length(), range.shared());
        this.owner = owner;
        this.remote = remote;
    }

    private ChannelLock(AsynchronousFileChannel channel, ChannelLock lock) {
        super(channel, lock.position(), lock.size(), lock.isShared());
        this.owner = lock.owner;
        this.remote = lock.remote;
    }

    /** The same lock, as one of an asynchronous channel over its channel. */
    public ChannelLock of(AsynchronousFileChannel channel) {
        return new ChannelLock(channel, this);
    }

    @Override
    public boolean isValid() {
        return owner.isOpen() && remote.isHeld();
    }

    /**
     * Makes what was written under the lock visible, then releases the lock.
     *
     * @throws IOException when it cannot be stored; the lock stays then, until it is released or the channel is closed
     */
    @Override
    public void release() throws IOException {
        if (!owner.isOpen()) {
            throw new ClosedChannelException();
        }
        owner.release(remote);
    }
}
