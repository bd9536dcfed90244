package io.cloudmw.client.rpc;

import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.Ticker;
import io.grpc.ManagedChannel;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** The watches of one client. Safe for any thread. */
public final class Watches implements AutoCloseable {
    private final ManagedChannel channel;
    private final ClientCertificates certificates;
    private final String server;
    private final CoordinatorTimes times;
    private final ScheduledExecutorService timer;
    private final Ticker ticker;
    private final Set<WatchCall> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param certificates of the channel, needed before the first call
     * @param times the time limits of a watch while no coordinator can be reached
     */
    public Watches(
            ManagedChannel channel,
            ClientCertificates certificates,
            String server,
            CoordinatorTimes times,
            ScheduledExecutorService timer,
            Ticker ticker) {
        this.channel = channel;
        this.certificates = certificates;
        this.server = server;
        this.times = times;
        this.timer = timer;
        this.ticker = ticker;
    }

    ManagedChannel channel() {
        return channel;
    }

    ClientCertificates certificates() {
        return certificates;
    }

    /** The server's name in messages. */
    String server() {
        return server;
    }

    CoordinatorTimes times() {
        return times;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    Ticker ticker() {
        return ticker;
    }

    /**
     * Opens a watch. It fails at once when {@value Watch#MAX_OPEN} watches are open, or closed with a listener that has
     * not returned.
     */
    public Watch watch(VolumeName volume, String path, OptionalLong after, WatchListener listener, Executor threads) {
        WatchCall watch = new WatchCall(this, volume, path, after, listener, threads);
        boolean room = isAdded(watch);
        var unused = watch.done().whenComplete((nothing, failure) -> watch.afterListener(() -> open.remove(watch)));
        if (!room) {
            watch.end(new CloudMwException(
                    ErrorCode.OVERLOADED, "watches: " + Watch.MAX_OPEN + " of this client are open (close one first)"));
        }
        if (closed) {
            watch.end(closedException());
        }
        watch.start();
        return watch;
    }

    private synchronized boolean isAdded(WatchCall watch) {
        return open.size() < Watch.MAX_OPEN && open.add(watch);
    }

    static CloudMwException closedException() {
        return new CloudMwException(ErrorCode.CANCELLED, "the client was closed");
    }

    /** Fails all open watches. Idempotent. */
    @Override
    public void close() {
        closed = true;
        open.forEach(watch -> watch.end(closedException()));
    }
}
