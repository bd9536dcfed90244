package io.cloudmw.core.thread;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends the process some time after it was told to end, whatever keeps it: shutdown hooks that hang or fail, or classes
 * that can no longer be loaded because their jar was overwritten. All that it needs besides the JDK's own classes is loaded
 * and started when it is installed.
 */
public final class ForcedExit {
    /** The exit code of an end that was forced: that of SIGTERM. */
    public static final int EXIT_CODE = 143;

    private ForcedExit() {}

    /**
     * Installs it; called once, early.
     *
     * @param limit how long shutdown hooks may take altogether
     */
    public static void install(Duration limit) {
        CountDownLatch begun = new CountDownLatch(1);
        Watch watch = new Watch(begun, limit.toMillis());
        watch.setDaemon(true);
        watch.start();
        Runtime.getRuntime().addShutdownHook(new Begin(begun));
    }

    /** Runs from the installation on. */
    private static final class Watch extends Thread {
        private final CountDownLatch begun;
        private final CountDownLatch never = new CountDownLatch(1);
        private final long limitMillis;

        Watch(CountDownLatch begun, long limitMillis) {
            super("cloudmw-forced-end");
            this.begun = begun;
            this.limitMillis = limitMillis;
        }

        @Override
        public void run() {
            try {
                begun.await();
                boolean unused = never.await(limitMillis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                // Nothing interrupts this thread. If something did, an end that is late is worse than one that is
                // early.
                interrupt();
            }
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    /** Runs beside the other shutdown hooks. */
    private static final class Begin extends Thread {
        private final CountDownLatch begun;

        Begin(CountDownLatch begun) {
            super("cloudmw-end-begins");
            this.begun = begun;
        }

        @Override
        public void run() {
            begun.countDown();
        }
    }
}
