package io.cloudmw.helper.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.testing.FakeTicker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests of the budget and the directory of a warm-up. */
final class WarmUpTest {
    private final FakeTicker ticker = new FakeTicker();

    private static CompletableFuture<?> done() {
        return CompletableFuture.completedFuture(null);
    }

    @Test
    void stepIsNotBegunWhenTheTimeIsOver() throws Exception {
        WarmUpBudget budget = new WarmUpBudget(Duration.ofSeconds(1), 100, ticker);
        assertThat(budget.step(10, WarmUpTest::done)).isTrue();

        ticker.advance(Duration.ofSeconds(1));

        assertThat(budget.step(10, WarmUpTest::done)).isFalse();
        assertThat(budget.movedBytes()).isEqualTo(10);
    }

    @Test
    void stepThatFailsEndsTheWarmUpAndItsBytesDoNotCount() throws Exception {
        WarmUpBudget budget = new WarmUpBudget(Duration.ofSeconds(1), 100, ticker);
        assertThat(budget.step(10, () -> CompletableFuture.failedFuture(new IOException("broken"))))
                .isFalse();
        assertThat(budget.movedBytes()).isZero();
    }

    @Test
    void zeroTimeAllowsNothing() throws Exception {
        assertThat(new WarmUpBudget(Duration.ZERO, 100, ticker).step(0, WarmUpTest::done))
                .isFalse();
    }

    @Test
    void failedWorkIsNoFailureOfTheProcessAndItsDirectoryIsDeleted() throws Exception {
        AtomicReference<Path> used = new AtomicReference<>();
        WarmUp.run(Duration.ofSeconds(1), 100, (directory, budget) -> {
            used.set(directory);
            Files.createDirectories(directory.resolve("a/b"));
            throw new IOException("no room");
        });
        assertThat(used.get()).doesNotExist();
    }
}
