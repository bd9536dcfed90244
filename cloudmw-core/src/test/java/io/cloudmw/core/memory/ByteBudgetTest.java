package io.cloudmw.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ByteBudgetTest {
    private final ByteBudget budget = new ByteBudget(100);

    @Test
    void takerMayLeaveBytesForOthers() {
        ByteBudget budget = new ByteBudget(10);
        assertThat(budget.tryTake(7, 4)).isFalse();
        assertThat(budget.tryTake(6, 4)).isTrue();
        assertThat(budget.tryTake(1, 4)).isFalse();
        assertThat(budget.tryTake(4)).isTrue();
    }

    @Test
    void bytesInUseNeverExceedTheLimit() {
        assertThat(budget.tryTake(60)).isTrue();
        assertThat(budget.tryTake(41)).isFalse();
        assertThat(budget.tryTake(40)).isTrue();
        assertThat(budget.usedBytes()).isEqualTo(100);
        budget.giveBack(100);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void bytesBeyondTheLimitAreNotWaitedFor() throws InterruptedException {
        assertThat(budget.take(101, TimeUnit.DAYS.toNanos(1))).isFalse();
    }

    @Test
    void waitersGetTheBytesThatOthersGiveBack() {
        assertThat(budget.tryTake(100)).isTrue();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            CompletableFuture<Boolean> taken = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return budget.take(50, TimeUnit.SECONDS.toNanos(30));
                        } catch (InterruptedException e) {
                            return false;
                        }
                    },
                    thread);
            budget.giveBack(100);
            assertThat(taken).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(true);
            assertThat(budget.usedBytes()).isEqualTo(50);
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void waitForBytesTimesOut() throws InterruptedException {
        assertThat(budget.tryTake(100)).isTrue();
        assertThat(budget.take(1, 1)).isFalse();
    }

    @Test
    void givingBackMoreThanWasTakenIsADefect() {
        assertThatThrownBy(() -> budget.giveBack(1)).isInstanceOf(IllegalStateException.class);
    }
}
