package io.cloudmw.core.thread;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The guard that ends the process some time after the order to end, whatever delays the end. Shutdown hooks may hang
 * or fail, or classes may fail to load because their jar was overwritten. All that it needs besides the JDK's own
 * classes is loaded and started when it is installed.
 */
public final class ForcedExit {
    /** The exit code of a forced end: that of SIGTERM. */
    public static final int EXIT_CODE = 143;

    private ForcedExit() {}

    /**
     * Installs the guard; called once, early.
     *
     * @param limit the time for all shutdown hooks together
     */
    public static void install(Duration limit) {
        CountDownLatch begun = new CountDownLatch(1);
        Watch watch = new Watch(begun, limit.toMillis());
        watch.setDaemon(true);
        watch.start();
        Runtime.getRuntime().addShutdownHook(new Begin(begun));
    }

    /** The thread that waits for the end. It runs from the installation on. */
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
                // Nothing interrupts this thread. If something did, a late end would be worse than an early one.
                interrupt();
            }
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    /** The shutdown hook that starts the time. It runs beside the others. */
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
