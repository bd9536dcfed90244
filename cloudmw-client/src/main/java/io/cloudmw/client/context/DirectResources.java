package io.cloudmw.client.context;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.store.http.HttpConnections;
import io.cloudmw.core.store.http.HttpTimeouts;
import io.cloudmw.core.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The resources of reads that go to stores without helpers: connections, opened when the first read needs one, and what
 * is known of the stores. Safe for any thread.
 */
public final class DirectResources implements AutoCloseable {
    private final ReadPath path;
    private final DirectReadHistory paths;
    private final Ticker ticker;

    @GuardedBy("this")
    private @Nullable HttpConnections connections;

    /** @param path of reads that name none */
    DirectResources(ReadPath path, Ticker ticker) {
        this.path = path;
        this.paths = new DirectReadHistory(ticker);
        this.ticker = ticker;
    }

    /** The path of reads that name none. */
    public ReadPath path() {
        return path;
    }

    public DirectReadHistory paths() {
        return paths;
    }

    /** The connections, opened now if they are not yet. */
    public synchronized HttpConnections connections() {
        HttpConnections open = connections;
        if (open == null) {
            open = new HttpConnections("cloudmw-client", HttpTimeouts.DEFAULT, ticker);
            connections = open;
        }
        return open;
    }

    /** Closes the connections if they were opened. Idempotent. */
    @Override
    public void close() {
        HttpConnections open;
        synchronized (this) {
            open = connections;
        }
        if (open != null) {
            open.close();
        }
    }
}
