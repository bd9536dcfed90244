package io.cloudmw.core.testing.leak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The test that leaks are looked for in a module; every module has a subclass. */
public abstract class LeakCheckContract {
    private static final String HINT = "never released, as this test wants it";

    @Test
    void aBufferThatIsNeverReleasedIsReported() throws Exception {
        leak();
        // Another thread may have asked the detector, and reports its findings in its own time.
        List<String> reports = await().until(() -> LeakCheck.REPORTS.take(HINT), taken -> !taken.isEmpty());
        assertThat(reports)
                .singleElement()
                .asString()
                .startsWith("noticed while " + getClass().getName() + " ran: ByteBuf");
    }

    private static void leak() {
        PooledByteBufAllocator.DEFAULT.directBuffer(1).touch(HINT);
    }
}
