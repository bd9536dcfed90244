package io.cloudmw.core.time;

/** The ability to wait, for code that may block. */
@FunctionalInterface
public interface Sleeper {
    /**
     * Blocks the calling thread for {@code nanos} nanoseconds (not at all when {@code nanos <= 0}).
     *
     * @throws InterruptedException when the thread is interrupted before or while waiting
     */
    void sleep(long nanos) throws InterruptedException;

    /** The sleeper that really waits. */
    static Sleeper system() {
        return SystemTime.INSTANCE;
    }
}
