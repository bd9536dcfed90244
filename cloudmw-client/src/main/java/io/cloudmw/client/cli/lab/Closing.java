package io.cloudmw.client.cli.lab;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must be closed again, last things first. What comes after closing is closed at once: an interruption may be in
 * the middle of a start. Safe for any thread.
 */
final class Closing implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Closing.class);

    @GuardedBy("this")
    private final Deque<AutoCloseable> things = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closed;

    /** Adds something to close before all that was added so far. */
    <T extends AutoCloseable> T last(T thing) {
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
