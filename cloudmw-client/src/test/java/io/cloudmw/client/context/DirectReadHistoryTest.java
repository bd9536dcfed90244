package io.cloudmw.client.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.testing.FakeTicker;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DirectReadHistoryTest {
    private static final StoreId A = new StoreId("a");
    private static final StoreId B = new StoreId("b");

    private final FakeTicker ticker = new FakeTicker();
    private final DirectReadHistory paths = new DirectReadHistory(ticker);

    @Test
    void anUnknownStoreIsProbed() {
        assertThat(paths.start(List.of(A, B))).isEqualTo(DirectUse.PROBING);
    }

    @Test
    void aComparisonIsRememberedForAWhile() {
        paths.compared(List.of(A, B), DirectUse.PREFERRED);
        assertThat(paths.start(List.of(A, B))).isEqualTo(DirectUse.PREFERRED);

        ticker.advance(DirectReadHistory.COMPARISON);
        assertThat(paths.start(List.of(A, B))).isEqualTo(DirectUse.PROBING);
    }

    @Test
    void oneWorseStoreIsEnough() {
        paths.compared(List.of(A), DirectUse.PREFERRED);
        paths.compared(List.of(B), DirectUse.LAST_RESORT);

        assertThat(paths.start(List.of(A, B))).isEqualTo(DirectUse.LAST_RESORT);
    }

    @Test
    void storesThatCannotBeReadAreLeftAloneForAWhile() {
        paths.failed(A);
        assertThat(paths.start(List.of(A))).isEqualTo(DirectUse.LAST_RESORT);
        assertThat(paths.start(List.of(A, B))).isEqualTo(DirectUse.PROBING);

        ticker.advance(DirectReadHistory.OUTAGE);
        assertThat(paths.isOut(A)).isFalse();
        assertThat(paths.start(List.of(A))).isEqualTo(DirectUse.PROBING);
    }

    @Test
    void aStoreThatAnswersIsBack() {
        paths.failed(A);
        paths.answered(A);

        assertThat(paths.isOut(A)).isFalse();
    }
}
