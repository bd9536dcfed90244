package io.cloudmw.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class AskAgainTest {
    @Test
    void pausesGrowToASecondAndLastAboutAMinuteAltogether() {
        assertThat(AskAgain.pauseNanos(1)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(AskAgain.pauseNanos(2)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(AskAgain.pauseNanos(Integer.MAX_VALUE)).isEqualTo(TimeUnit.SECONDS.toNanos(1));
        long all = IntStream.rangeClosed(1, AskAgain.MAX_REFUSALS)
                .mapToLong(AskAgain::pauseNanos)
                .sum();
        assertThat(TimeUnit.NANOSECONDS.toSeconds(all)).isBetween(50L, 60L);
    }

    @Test
    void thoseWhoWereInEachOthersWayWaitForDifferentTimesWithinABound() {
        SplittableRandom random = new SplittableRandom(1);
        Set<Long> pauses = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            long pause = AskAgain.pauseNanos(EditTransfer.MAX_APPENDS, random);
            assertThat(pause).isBetween(0L, TimeUnit.SECONDS.toNanos(1));
            pauses.add(pause / TimeUnit.MILLISECONDS.toNanos(100));
        }
        assertThat(pauses).hasSizeGreaterThanOrEqualTo(10);
    }
}
