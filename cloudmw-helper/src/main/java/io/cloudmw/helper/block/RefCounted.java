package io.cloudmw.helper.block;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * An object with a reference count, which is freed with its last reference. The count begins with one. Safe for any
 * thread.
 */
abstract class RefCounted {
    private final AtomicInteger holds = new AtomicInteger(1);

    /** Adds a reference; returns false when the object is freed already. */
    public final boolean retain() {
        int now;
        do {
            now = holds.get();
            if (now == 0) {
                return false;
            }
        } while (!holds.compareAndSet(now, now + 1));
        return true;
    }

    /** Releases one reference; the last one frees the object. */
    public final void release() {
        if (holds.decrementAndGet() == 0) {
            free();
        }
    }

    /** Frees the object. Called once, with the last reference. */
    protected abstract void free();
}
