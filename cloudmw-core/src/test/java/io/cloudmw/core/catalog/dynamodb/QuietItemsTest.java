package io.cloudmw.core.catalog.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class QuietItemsTest {
    private final FakeTicker ticker = new FakeTicker();
    private final QuietItems quiet = new QuietItems(ticker);

    private static Item item(String name, String writtenBy) {
        return Item.at(new Key("list", name)).with(Item.WRITTEN_BY, writtenBy);
    }

    @Test
    void anItemIsQuietWhenNobodyHasWrittenItForAWhile() {
        assertThat(quiet.isQuiet(item("a", "1"))).isFalse();
        ticker.advance(QuietItems.QUIET.minusNanos(1));
        assertThat(quiet.isQuiet(item("a", "1"))).isFalse();
        ticker.advance(Duration.ofNanos(1));
        assertThat(quiet.isQuiet(item("a", "2"))).as("written meanwhile").isFalse();
        ticker.advance(QuietItems.QUIET);
        assertThat(quiet.isQuiet(item("a", "2"))).isTrue();
        assertThat(quiet.isQuiet(item("a", "2"))).as("forgotten").isFalse();
    }

    @Test
    void soManyAreRememberedAndThenTheFirstIsForgotten() {
        for (int i = 0; i <= QuietItems.MAX; i++) {
            assertThat(quiet.isQuiet(item("item" + i, "1"))).isFalse();
        }
        ticker.advance(QuietItems.QUIET);
        assertThat(quiet.isQuiet(item("item1", "1"))).isTrue();
        assertThat(quiet.isQuiet(item("item0", "1"))).isFalse();
    }
}
