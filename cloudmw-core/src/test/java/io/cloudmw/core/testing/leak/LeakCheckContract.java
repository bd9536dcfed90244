package io.cloudmw.core.testing.leak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That leaks are looked for where a subclass of this runs, which is in every module. */
public abstract class LeakCheckContract {
    private static final String HINT = "never released, as this test wants it";

    @Test
    void aBufferThatIsNeverReleasedIsReported() throws Exception {
        leak();
        // The detector may have been asked by another thread, which reports what it was told in its own time.
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
