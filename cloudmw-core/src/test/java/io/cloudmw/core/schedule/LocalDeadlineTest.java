package io.cloudmw.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LocalDeadlineTest {
    private final FakeTicker ticker = new FakeTicker();
    private final LocalDeadline due = new LocalDeadline(in(Duration.ofSeconds(10)), ticker);

    private static Urgency in(Duration deadline) {
        return new Urgency(Priority.INTERACTIVE, Optional.of(deadline));
    }

    @Test
    void laterReadersGetTheTimeThatIsLeft() {
        assertThat(due.get()).isEqualTo(in(Duration.ofSeconds(10)));
        ticker.advance(Duration.ofSeconds(4));
        assertThat(due.get()).isEqualTo(in(Duration.ofSeconds(6)));
    }

    @Test
    void lateWorkHasTheLeastTimeLeft() {
        ticker.advance(Duration.ofSeconds(11));
        assertThat(due.get()).isEqualTo(in(Duration.ofMillis(1)));
    }

    @Test
    void theTimeByThisClockStaysTheSame() {
        long deadline = ticker.nanos() + Duration.ofSeconds(10).toNanos();
        ticker.advance(Duration.ofSeconds(4));
        assertThat(due.deadlineNanos()).hasValue(deadline);
    }

    @Test
    void workWithoutADeadlineGetsNone() {
        LocalDeadline any = new LocalDeadline(Urgency.of(Priority.BATCH), ticker);
        assertThat(any.deadlineNanos()).isEmpty();
        assertThat(any.get()).isEqualTo(Urgency.of(Priority.BATCH));
    }
}
