package io.cloudmw.helper.block;

import java.util.concurrent.atomic.AtomicInteger;

/** An object with a reference count, which is freed with its last reference. It begins with one. Safe for any thread. */
abstract class RefCounted {
    private final AtomicInteger holds = new AtomicInteger(1);

    /** Holds it once more; false when it is free already. */
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

    /** Lets go of it once. */
    public final void release() {
        if (holds.decrementAndGet() == 0) {
            free();
        }
    }

    /** Nobody holds it any more; called once. */
    protected abstract void free();
}
