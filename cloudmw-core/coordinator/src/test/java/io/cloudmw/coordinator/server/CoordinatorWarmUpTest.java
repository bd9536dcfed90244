package io.cloudmw.coordinator.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the calls that warm up a coordinator. */
final class CoordinatorWarmUpTest {
    @TempDir
    private Path directory;

    @Test
    void filesAreWrittenListedAndPlannedUntilItIsEnough() throws Exception {
        AtomicInteger asked = new AtomicInteger();

        CoordinatorWarmUp.run(directory, () -> asked.incrementAndGet() <= 3);

        assertThat(asked).hasValue(4);
        assertThat(directory.resolve("catalog.db")).exists();
    }
}
