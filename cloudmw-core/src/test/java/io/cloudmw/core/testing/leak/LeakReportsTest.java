package io.cloudmw.core.testing.leak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import org.junit.jupiter.api.Test;

/** Tests of a detector of its own: objects never released here fail nothing else. */
final class LeakReportsTest {
    private static final class Resource {}

    private final LeakReports reports = new LeakReports();
    private final ResourceLeakDetector<Resource> detector = reports.newResourceLeakDetector(Resource.class, 1);

    private ResourceLeakTracker<Resource> watch(Resource resource, String hint) {
        ResourceLeakTracker<Resource> watched = detector.trackForcibly(resource);
        watched.record(hint);
        return watched;
    }

    @Test
    void lostBuffersFailWithTheirReports() {
        reports.nowRuns("this");
        watch(new Resource(), "the first");
        watch(new Resource(), "the second");
        assertThatThrownBy(reports::expectNone)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("detector: 2")
                .hasMessageContaining("noticed while this ran: LeakReportsTest$Resource")
                .hasMessageContaining("Hint: the first")
                .hasMessageContaining("Hint: the second")
                .hasMessageContaining("LeakReportsTest.watch");
    }

    @Test
    void reportsFailEveryTimeTheyAreChecked() {
        watch(new Resource(), "lost");
        assertThatThrownBy(reports::expectNone).isInstanceOf(AssertionError.class);
        assertThatThrownBy(reports::expectNone).isInstanceOf(AssertionError.class);
    }

    @Test
    void releasedBuffersDoNotFail() {
        Resource resource = new Resource();
        watch(resource, "released").close(resource);
        assertThatCode(reports::expectNone).doesNotThrowAnyException();
    }

    @Test
    void usedBuffersDoNotFail() {
        Resource resource = new Resource();
        ResourceLeakTracker<Resource> watched = watch(resource, "in use");
        assertThatCode(reports::expectNone).doesNotThrowAnyException();
        watched.close(resource);
    }

    @Test
    void anExpectedLeakDoesNotFail() throws Exception {
        watch(new Resource(), "expected");
        assertThat(reports.take("expected")).singleElement().asString().contains("Hint: expected");
        assertThat(reports.take("expected")).isEmpty();
        assertThatCode(reports::expectNone).doesNotThrowAnyException();
    }

    @Test
    void anExpectedLeakExcusesNoOther() throws Exception {
        watch(new Resource(), "expected");
        watch(new Resource(), "lost");
        assertThat(reports.take("expected")).hasSize(1);
        assertThatThrownBy(reports::expectNone)
                .hasMessageContaining("detector: 1")
                .hasMessageContaining("Hint: lost");
    }
}
