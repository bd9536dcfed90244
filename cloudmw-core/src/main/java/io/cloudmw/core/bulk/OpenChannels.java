package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open connections of a server or transport, kept so that they can be closed together. Safe for any thread. */
final class OpenChannels {
    private final Set<FrameChannel> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Adds a connection until it closes; closes it at once when {@link #closeAll} was called. */
    void add(FrameChannel frames) {
        open.add(frames);
        frames.channel().closeFuture().addListener(gone -> open.remove(frames));
        if (closed) {
            close(frames);
        }
    }

    int size() {
        return open.size();
    }

    void closeAll() {
        closed = true;
        open.forEach(OpenChannels::close);
    }

    private static void close(FrameChannel frames) {
        frames.later(() -> {
            if (frames.channel().eventLoop().inEventLoop()) {
                frames.close(new CloudMwException(ErrorCode.CANCELLED, "this side is shutting down"), false);
            } else { // the connection has moved meanwhile
                close(frames);
            }
        });
    }
}
