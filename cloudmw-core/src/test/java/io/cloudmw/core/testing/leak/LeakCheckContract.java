package io.cloudmw.core.testing.leak;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** That leaks are looked for where a subclass of this runs, which is in every module. */
public abstract class LeakCheckContract {
    private static final String HINT = "never released, as this test wants it";

    @Test
    void aBufferThatIsNeverReleasedIsReported() throws Exception {
        leak();
        assertThat(LeakCheck.REPORTS.take(HINT))
                .singleElement()
                .asString()
                .startsWith("noticed while " + getClass().getName() + " ran: ByteBuf");
    }

    private static void leak() {
        PooledByteBufAllocator.DEFAULT.directBuffer(1).touch(HINT);
    }
}
