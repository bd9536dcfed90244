package io.cloudmw.helper.fetch;

import java.util.concurrent.atomic.AtomicInteger;

/** Something that several hold: the last who lets go frees it. Held once when it is made. Safe for any thread. */
abstract class Held {
    private final AtomicInteger holds = new AtomicInteger(1);

    /** Holds it once more; false when it is free already. */
    final boolean tryHold() {
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
    final void letGo() {
        if (holds.decrementAndGet() == 0) {
            free();
        }
    }

    /** Nobody holds it any more; called once. */
    abstract void free();
}
