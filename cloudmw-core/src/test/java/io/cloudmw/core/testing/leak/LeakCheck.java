package io.cloudmw.core.testing.leak;

import io.netty.util.ResourceLeakDetectorFactory;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An extension that fails a run of tests, after its last test, in which a buffer was never released. JUnit finds it by
 * itself, in every module whose tests have the test-jar on their class path. It fails the run and no single test,
 * because the time of the garbage collection is unknown; the report may name the test.
 */
public final class LeakCheck implements BeforeAllCallback {
    static final LeakReports REPORTS = new LeakReports();

    /** Called before JUnit initializes any test class, so that Netty has made no detector yet. */
    public LeakCheck() {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(REPORTS);
    }

    /** Registers a resource in the root's store, which is closed after all tests; its failure fails the whole run. */
    @Override
    public void beforeAll(ExtensionContext context) {
        REPORTS.nowRuns(context.getRequiredTestClass().getName());
        var unused = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(LeakCheck.class))
                .getOrComputeIfAbsent("at the end", key -> (AutoCloseable) REPORTS::expectNone);
    }
}
