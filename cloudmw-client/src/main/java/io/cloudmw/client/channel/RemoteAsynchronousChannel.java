package io.cloudmw.client.channel;

import io.cloudmw.client.channel.lock.ChannelLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** An {@link AsynchronousFileChannel} that runs the operations of a channel in an executor. Safe for any thread. */
final class RemoteAsynchronousChannel extends AsynchronousFileChannel {
    private final FileChannel channel;
    private final ExecutorService executor;

    /**
     * @param channel closed with this
     * @param executor not closed
     */
    RemoteAsynchronousChannel(FileChannel channel, ExecutorService executor) {
        this.channel = channel;
        this.executor = executor;
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public AsynchronousFileChannel truncate(long size) throws IOException {
        FileChannel unused = channel.truncate(size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        channel.force(metaData);
    }

    @Override
    public <A> void lock(
            long position, long size, boolean shared, A attachment, CompletionHandler<FileLock, ? super A> handler) {
        run(() -> ours(channel.lock(position, size, shared)), attachment, handler);
    }

    @Override
    public Future<FileLock> lock(long position, long size, boolean shared) {
        return executor.submit(() -> ours(channel.lock(position, size, shared)));
    }

    @Override
    public @Nullable FileLock tryLock(long position, long size, boolean shared) throws IOException {
        FileLock lock = channel.tryLock(position, size, shared);
        return lock == null ? null : ours(lock);
    }

    /** The lock as one of this channel. */
    private FileLock ours(FileLock lock) {
        return lock instanceof ChannelLock known ? known.of(this) : lock;
    }

    @Override
    public <A> void read(
            ByteBuffer target, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
        check(position);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target: is read-only");
        }
        run(() -> channel.read(target, position), attachment, handler);
    }

    @Override
    public Future<Integer> read(ByteBuffer target, long position) {
        check(position);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target: is read-only");
        }
        return executor.submit(() -> channel.read(target, position));
    }

    @Override
    public <A> void write(
            ByteBuffer source, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
        check(position);
        run(() -> channel.write(source, position), attachment, handler);
    }

    @Override
    public Future<Integer> write(ByteBuffer source, long position) {
        check(position);
        return executor.submit(() -> channel.write(source, position));
    }

    private static void check(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position: " + position + " (expected: >= 0)");
        }
    }

    private <T, A> void run(Callable<T> operation, A attachment, CompletionHandler<T, ? super A> handler) {
        executor.execute(() -> {
            T result;
            try {
                result = operation.call();
            } catch (Exception e) {
                handler.failed(e, attachment);
                return;
            }
            handler.completed(result, attachment);
        });
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
