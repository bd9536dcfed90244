package io.cloudmw.client.read.direct;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.rpc.coordinator.SegmentPlan;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class SignedSegmentsTest {
    private final FakeTicker time = new FakeTicker();
    private final List<Integer> asked = new ArrayList<>();
    private final List<CompletableFuture<SegmentPlan>> answers = new ArrayList<>();
    private final SignedSegments segments = new SignedSegments(time, index -> {
        asked.add(index);
        answers.add(new CompletableFuture<>());
        return answers.get(answers.size() - 1);
    });

    private void answered(Duration validity) {
        answers.get(answers.size() - 1).complete(new SegmentPlan(0, List.of(), validity, Map.of()));
    }

    @Test
    void shortLivedUrlsAreRenewedAfterHalfTheirValidity() {
        assertThat(segments.of(0)).isSameAs(segments.of(0));
        answered(Duration.ofSeconds(1));
        time.advance(Duration.ofMillis(500));
        assertThat(segments.of(0)).isCompleted();
        time.advance(Duration.ofMillis(1));
        assertThat(segments.of(0)).isNotDone();
        assertThat(asked).containsExactly(0, 0);
    }

    @Test
    void longLivedUrlsAreRenewedAfterTheMaximumAge() {
        for (Duration validity : List.of(Duration.ofHours(6), Duration.ZERO)) {
            CompletableFuture<SegmentPlan> first = segments.of(0);
            answered(validity);
            time.advance(Duration.ofMinutes(SignedSegments.MAX_AGE_MINUTES));
            assertThat(segments.of(0)).isSameAs(first);
            time.advance(Duration.ofMillis(1));
            assertThat(segments.of(0)).isNotSameAs(first);
            answered(validity);
            time.advance(Duration.ofMinutes(3));
        }
    }

    @Test
    void failedSegmentIsRequestedAgain() {
        answersNothing(segments.of(0));
        assertThat(segments.of(0)).isNotDone();
        assertThat(asked).hasSize(2);
    }

    private static void answersNothing(CompletableFuture<SegmentPlan> answer) {
        answer.completeExceptionally(new IllegalStateException("no answer"));
    }

    @Test
    void leastRecentlyUsedSegmentIsEvicted() {
        for (int i = 0; i <= SignedSegments.KEPT; i++) {
            segments.of(i).complete(new SegmentPlan(i, List.of(), Duration.ofHours(1), Map.of()));
        }
        assertThat(segments.of(1)).isCompleted();
        assertThat(segments.of(0)).isNotDone();
    }
}
