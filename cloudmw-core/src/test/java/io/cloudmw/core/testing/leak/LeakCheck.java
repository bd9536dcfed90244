package io.cloudmw.core.testing.leak;

import io.netty.util.ResourceLeakDetectorFactory;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a run of tests, after its last test, in which something was never released. JUnit finds it by itself, in every
 * module whose tests have the test-jar on their class path. It fails the run and no test, as nobody knows when the garbage
 * collector comes: which one it was, the report may say.
 */
public final class LeakCheck implements BeforeAllCallback {
    static final LeakReports REPORTS = new LeakReports();

    /** JUnit makes it before it initializes any class of tests, so that Netty has made no detector yet. */
    public LeakCheck() {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(REPORTS);
    }

    /** What is in the root's store is closed when all tests are over; what that throws fails the whole run. */
    @Override
    public void beforeAll(ExtensionContext context) {
        REPORTS.nowRuns(context.getRequiredTestClass().getName());
        var unused = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(LeakCheck.class))
                .getOrComputeIfAbsent("at the end", key -> (AutoCloseable) REPORTS::expectNone);
    }
}
