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
 * Makes Netty's leak detectors, and keeps what they report, which they would only log. Whatever is asked of it, it asks the
 * garbage collector and the detectors first. Any thread.
 */
final class LeakReports extends ResourceLeakDetectorFactory {
    private final List<String> reports = new CopyOnWriteArrayList<>();
    private final List<Detector<?>> detectors = new CopyOnWriteArrayList<>();
    private volatile String running = "nothing";

    /** What runs from now on; reports say so, as what they are of was lost in it, or before. */
    void nowRuns(String what) {
        running = what;
    }

    /** @throws AssertionError with all reports, where there are some */
    void expectNone() throws InterruptedException {
        look();
        if (!reports.isEmpty()) {
            throw new AssertionError("never released, reported by Netty's leak detector: " + reports.size() + "\n"
                    + String.join("\n", reports));
        }
    }

    /** Takes out the reports that contain this, as of what was touched with it: they were expected. */
    List<String> take(String hint) throws InterruptedException {
        look();
        List<String> taken =
                reports.stream().filter(report -> report.contains(hint)).toList();
        reports.removeAll(taken);
        return taken;
    }

    private void look() throws InterruptedException {
        // Twice: what one run of the collector finds is queued in any order, but before anything the next one finds.
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

        /** Whatever is logged. */
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

        /** It looks into its queue when something new is to be watched: that may be anything. */
        @SuppressWarnings("unchecked")
        void poll() {
            T anything = (T) new Object();
            ResourceLeakTracker<T> watched = trackForcibly(anything);
            watched.close(anything);
        }
    }
}
