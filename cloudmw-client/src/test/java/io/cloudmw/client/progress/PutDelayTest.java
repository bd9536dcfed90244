package io.cloudmw.client.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The one-line reason of a put's delay. */
final class PutDelayTest {
    private static PutDelay.Reason helper(String text, String... stores) {
        return new PutDelay.Reason(
                PutDelay.Kind.HELPER,
                Optional.of(ErrorCode.HELPER_UNAVAILABLE),
                Optional.of(new HelperId("h1")),
                Arrays.stream(stores).map(StoreId::new).toList(),
                text);
    }

    @Test
    void sameReasonOfSeveralChunksIsReportedOnce() {
        PutDelay delay = new PutDelay(
                Duration.ofSeconds(2),
                List.of(helper("connection refused", "d1", "d2"), helper("connection refused", "d2", "d3")));
        assertThat(delay.text()).isEqualTo("connection refused");
        assertThat(delay.reasons()).containsExactly(helper("connection refused", "d1", "d2", "d3"));
    }

    @Test
    void commonReasonLeavesRoomForOthers() {
        PutDelay delay = new PutDelay(
                Duration.ofSeconds(2),
                Stream.concat(
                                Stream.of("d1", "d2", "d3", "d4").map(store -> helper("refused", store)),
                                Stream.of("full", "slow", "gone").map(text -> helper(text, "d1")))
                        .toList());
        assertThat(delay.text()).isEqualTo("refused; full; slow");
    }
}
