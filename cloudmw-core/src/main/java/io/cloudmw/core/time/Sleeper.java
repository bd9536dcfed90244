package io.cloudmw.core.time;

/** Waiting, for code that is allowed to block. */
@FunctionalInterface
public interface Sleeper {
    /**
     * Blocks the calling thread for {@code nanos} nanoseconds (not at all when {@code nanos <= 0}).
     *
     * @throws InterruptedException when the thread is interrupted before or while waiting
     */
    void sleep(long nanos) throws InterruptedException;

    /** Really waits. */
    static Sleeper system() {
        return SystemTime.INSTANCE;
    }
}
