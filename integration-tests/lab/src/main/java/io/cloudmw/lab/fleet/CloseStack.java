package io.cloudmw.lab.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stack of resources, closed in reverse order. A resource added after the close is closed at once, since a signal may
 * arrive in the middle of a start. Safe for any thread.
 */
public final class CloseStack implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CloseStack.class);

    @GuardedBy("this")
    private final Deque<AutoCloseable> things = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closed;

    /** The creation of a resource that must be closed. */
    @FunctionalInterface
    public interface Opening<T> {
        T open() throws Exception;
    }

    /**
     * Opens a resource that is closed before all earlier ones. A concurrent close waits, so {@code opening} must be
     * quick.
     *
     * @throws IllegalStateException when this is closed, in which case nothing is opened
     */
    public synchronized <T extends AutoCloseable> T open(Opening<T> opening) throws Exception {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        T thing = opening.open();
        things.push(thing);
        return thing;
    }

    /**
     * Adds a resource that is closed before all earlier ones.
     *
     * @throws IllegalStateException when this is closed, in which case the resource is closed, too
     */
    public <T extends AutoCloseable> T last(T thing) {
        synchronized (this) {
            if (!closed) {
                things.push(thing);
                return thing;
            }
        }
        close(thing);
        throw new IllegalStateException("closed");
    }

    /** Closes all resources. A second caller waits until the first has closed them. */
    @Override
    public synchronized void close() {
        closed = true;
        while (!things.isEmpty()) {
            close(things.pop());
        }
    }

    private static void close(AutoCloseable thing) {
        try {
            thing.close();
        } catch (Exception e) {
            log.warn("not closed: {}", thing, e);
        }
    }
}
