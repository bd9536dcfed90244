package io.cloudmw.coordinator.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class PacedFigureTest {
    private final FakeTicker ticker = new FakeTicker();
    private final AtomicInteger computed = new AtomicInteger();

    private PacedFigure<Integer> figureThatTakes(Duration time) {
        return new PacedFigure<>(
                () -> {
                    ticker.advance(time);
                    return computed.incrementAndGet();
                },
                Duration.ofMinutes(1),
                ticker);
    }

    @Test
    void cheapFigureIsComputedForEverySnapshot() throws Exception {
        PacedFigure<Integer> figure = figureThatTakes(Duration.ofMillis(1));
        assertThat(figure.get().value()).isEqualTo(1);
        assertThat(figure.get().value()).isEqualTo(1);
        ticker.advance(PacedFigure.SHORTEST);
        assertThat(figure.get().value()).isEqualTo(2);
    }

    @Test
    void expensiveFigureTakesABoundedShareOfTheTime() throws Exception {
        PacedFigure<Integer> figure = figureThatTakes(Duration.ofMillis(100));
        assertThat(figure.get().value()).isEqualTo(1);
        ticker.advance(Duration.ofMillis(100L * PacedFigure.SHARE - 1));
        assertThat(figure.get()).isEqualTo(new PacedFigure.Aged<>(1, 100L * PacedFigure.SHARE - 1));
        ticker.advance(Duration.ofMillis(1));
        assertThat(figure.get()).isEqualTo(new PacedFigure.Aged<>(2, 0));
    }

    @Test
    void veryExpensiveFigureIsComputedAfterTheLongestTime() throws Exception {
        PacedFigure<Integer> figure = figureThatTakes(Duration.ofSeconds(10));
        assertThat(figure.get().value()).isEqualTo(1);
        ticker.advance(Duration.ofMinutes(1));
        assertThat(figure.get().value()).isEqualTo(2);
    }
}
