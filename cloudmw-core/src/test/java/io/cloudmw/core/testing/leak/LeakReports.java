package io.cloudmw.core.testing.leak;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The factory of Netty's leak detectors, which keeps the reports that they would only log. Every query runs the
 * garbage collector and the detectors first. Any thread.
 */
final class LeakReports extends ResourceLeakDetectorFactory {
    private final List<String> reports = new CopyOnWriteArrayList<>();
    private final List<Detector<?>> detectors = new CopyOnWriteArrayList<>();
    private volatile String running = "nothing";

    /** Names the running test; reports name it, because their buffer was lost in it or before. */
    void nowRuns(String what) {
        running = what;
    }

    /**
     * @throws AssertionError with all reports, if there are any
     */
    void expectNone() throws InterruptedException {
        look();
        if (!reports.isEmpty()) {
            throw new AssertionError("never released, reported by Netty's leak detector: " + reports.size() + "\n"
                    + String.join("\n", reports));
        }
    }

    /** Removes the reports that contain this hint, as those of expected leaks. */
    List<String> take(String hint) throws InterruptedException {
        look();
        List<String> taken =
                reports.stream().filter(report -> report.contains(hint)).toList();
        reports.removeAll(taken);
        return taken;
    }

    private void look() throws InterruptedException {
        // Twice: the findings of one collection are queued in any order, but before those of the next.
        collect();
        collect();
        detectors.forEach(Detector::poll);
    }

    private static void collect() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        WeakReference<Object> unreachable = new WeakReference<>(new Object(), queue);
        try {
            System.gc();
            if (queue.remove(TimeUnit.MINUTES.toMillis(1)) == null) {
                throw new IllegalStateException("System.gc() collects nothing: leaks cannot be found");
            }
        } finally {
            Reference.reachabilityFence(unreachable);
        }
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
        Detector<T> detector = new Detector<>(resource, samplingInterval);
        detectors.add(detector);
        return detector;
    }

    @Override
    @SuppressWarnings("deprecation") // abstract, so there is no way around it
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
            Class<T> resource, int samplingInterval, long maxActive) {
        return newResourceLeakDetector(resource, samplingInterval);
    }

    private final class Detector<T> extends ResourceLeakDetector<T> {
        Detector(Class<T> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        /** Always true: every report is needed. */
        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resourceType, String records) {
            report(resourceType + records);
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
            report(resourceType);
        }

        private void report(String what) {
            reports.add("noticed while " + running + " ran: " + what);
        }

        /** Makes the detector look into its queue, which it does whenever it tracks a new object, of any kind. */
        @SuppressWarnings("unchecked")
        void poll() {
            T anything = (T) new Object();
            ResourceLeakTracker<T> watched = trackForcibly(anything);
            watched.close(anything);
        }
    }
}
