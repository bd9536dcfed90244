package io.cloudmw.helper.page;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams of events with snapshots, by server-sent events. While there is a viewer, a snapshot is taken once an
 * interval, for all viewers together. Each viewer has a thread and gets the latest snapshot that it has not got. So a
 * slow viewer loses snapshots, delays nobody, and keeps one snapshot from being freed. Safe for any thread.
 */
final class EventStreams implements AutoCloseable {
    /** The most viewers; the next one is refused. */
    static final int MAX_VIEWERS = 16;

    private static final byte[] OPENING = "retry: 2000\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final Logger LOG = LoggerFactory.getLogger(EventStreams.class);

    private final SnapshotJson snapshots;
    private final Ticker ticker;
    private final long longestWriteNanos;
    private final ThreadPoolExecutor threads = Threads.unshared("page-viewer", MAX_VIEWERS);
    private final ThreadPoolExecutor computing = Threads.unshared("page-snapshot", 1);
    private final ScheduledExecutorService timer = Threads.timer("page-events");
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();

    @GuardedBy("this")
    private long number;

    @GuardedBy("this")
    private byte[] latest = new byte[0];

    /** A viewer: its exchange, the last event that it does not get, and since when a write to it has not ended. */
    private static final class Viewer {
        private final HttpExchange exchange;
        private final long joinedAfter;
        private volatile @Nullable Thread thread;
        private volatile long writingSince;
        private volatile boolean writing;

        Viewer(HttpExchange exchange, long joinedAfter) {
            this.exchange = exchange;
            this.joinedAfter = joinedAfter;
        }
    }

    /**
     * Starts the timer.
     *
     * @param interval between snapshots
     * @param longestWrite a viewer that takes nothing for so long is dropped
     */
    EventStreams(SnapshotJson snapshots, Duration interval, Duration longestWrite, Ticker ticker) {
        this.snapshots = snapshots;
        this.ticker = ticker;
        this.longestWriteNanos = longestWrite.toNanos();
        Future<?> unused =
                timer.scheduleAtFixedRate(this::tick, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    int viewers() {
        return viewers.size();
    }

    /**
     * Begins a stream. Its first event is taken after the call: the latest one is as old as the last viewer.
     *
     * @return false when there are too many
     */
    boolean join(HttpExchange exchange) {
        Viewer viewer = new Viewer(exchange, published());
        viewers.add(viewer);
        try {
            threads.execute(() -> serve(viewer));
        } catch (RejectedExecutionException e) {
            viewers.remove(viewer);
            return false;
        }
        tick();
        return true;
    }

    private void serve(Viewer viewer) {
        viewer.thread = Thread.currentThread();
        try (HttpExchange exchange = viewer.exchange) {
            PageAnswer.secure(exchange.getResponseHeaders());
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            write(viewer, out, OPENING);
            long seen = viewer.joinedAfter;
            while (true) {
                byte[] event;
                synchronized (this) {
                    while (number == seen) {
                        wait();
                    }
                    seen = number;
                    event = latest;
                }
                write(viewer, out, event);
            }
        } catch (IOException e) {
            LOG.debug("a viewer of the web page has left", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            viewers.remove(viewer);
            viewer.thread = null;
        }
    }

    private void write(Viewer viewer, OutputStream out, byte[] event) throws IOException {
        viewer.writingSince = ticker.nanos();
        viewer.writing = true;
        out.write(event);
        out.flush();
        viewer.writing = false;
    }

    /** Has a snapshot taken, unless nobody views or one is being taken, and drops viewers that take nothing. */
    private void tick() {
        if (viewers.isEmpty()) {
            return;
        }
        for (Viewer viewer : viewers) {
            Thread thread = viewer.thread;
            if (thread != null && viewer.writing && ticker.nanos() - viewer.writingSince > longestWriteNanos) {
                thread.interrupt(); // closes the connection
            }
        }
        try {
            computing.execute(this::take);
        } catch (RejectedExecutionException e) {
            LOG.debug("the web page: the snapshot before is still being taken", e);
        }
    }

    private void take() {
        try {
            publish("snapshot", snapshots.take());
        } catch (CloudMwException | RuntimeException e) {
            LOG.debug("the web page: no snapshot", e);
            publish(
                    "problem",
                    SnapshotJson.of(
                            Map.of("error", Optional.ofNullable(e.getMessage()).orElse(e.toString()))));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized long published() {
        return number;
    }

    private synchronized void publish(String kind, byte[] json) {
        byte[] head = ("event: " + kind + "\ndata: ").getBytes(StandardCharsets.US_ASCII);
        byte[] event = new byte[head.length + json.length + 2];
        System.arraycopy(head, 0, event, 0, head.length);
        System.arraycopy(json, 0, event, head.length, json.length);
        event[event.length - 2] = '\n';
        event[event.length - 1] = '\n';
        latest = event;
        number++;
        notifyAll();
    }

    /** Ends all streams. */
    @Override
    public void close() {
        timer.shutdownNow();
        computing.shutdownNow();
        threads.shutdownNow();
    }
}
