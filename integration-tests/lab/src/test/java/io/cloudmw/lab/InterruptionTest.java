package io.cloudmw.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class InterruptionTest {
    private final IOException ended = new IOException("switch-1 ended:\n");

    @Test
    void failureByInterruptionIsCancelled() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();
        try (Interruption interruption = new Interruption()) {
            AutoCloseable unused = interruption.closing().last(() -> closed.set(true));
            assertThatThrownBy(() -> interruption.run(() -> {
                        interruption.interrupt();
                        throw ended;
                    }))
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED))
                    .hasMessage("interrupted")
                    .hasCause(ended);
            assertThat(closed).isTrue();
        }
    }

    @Test
    void failureWithoutInterruptionIsKept() throws Exception {
        try (Interruption interruption = new Interruption()) {
            assertThatThrownBy(() -> interruption.run(() -> {
                        throw ended;
                    }))
                    .isSameAs(ended);
            assertThat(interruption.run(() -> "done")).isEqualTo("done");
        }
    }
}
