package io.cloudmw.lab.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stack of resources, closed in reverse order. What comes after closing is closed at once: an interruption may be in
 * the middle of a start. Safe for any thread.
 */
public final class CloseStack implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CloseStack.class);

    @GuardedBy("this")
    private final Deque<AutoCloseable> things = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closed;

    /** Makes what would stay behind if nobody closed it. */
    @FunctionalInterface
    public interface Opening<T> {
        T open() throws Exception;
    }

    /**
     * Opens something to close before all that was added so far: a closing that comes meanwhile waits for it. For what
     * opens at once.
     *
     * @throws IllegalStateException when closed: nothing was opened
     */
    public synchronized <T extends AutoCloseable> T open(Opening<T> opening) throws Exception {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        T thing = opening.open();
        things.push(thing);
        return thing;
    }

    /** Adds something to close before all that was added so far. */
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

    /** One at a time: a second caller waits until the first has closed everything. */
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
