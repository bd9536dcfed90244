package io.cloudmw.coordinator.catalog.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SettledItemsTest {
    private final FakeTicker ticker = new FakeTicker();
    private final SettledItems quiet = new SettledItems(ticker);

    private static Item item(String name, String writtenBy) {
        return Item.at(new ItemKey("list", name)).with(Item.WRITTEN_BY, writtenBy);
    }

    @Test
    void itemIsQuietWhenItWasNotWrittenForAWhile() {
        assertThat(quiet.isQuiet(item("a", "1"))).isFalse();
        ticker.advance(SettledItems.QUIET.minusNanos(1));
        assertThat(quiet.isQuiet(item("a", "1"))).isFalse();
        ticker.advance(Duration.ofNanos(1));
        assertThat(quiet.isQuiet(item("a", "2"))).as("written meanwhile").isFalse();
        ticker.advance(SettledItems.QUIET);
        assertThat(quiet.isQuiet(item("a", "2"))).isTrue();
        assertThat(quiet.isQuiet(item("a", "2"))).as("forgotten").isFalse();
    }

    /** Each pass queries all items in the same order, and there are more than the limit. */
    @Test
    void itemsBeyondTheLimitBecomeQuietInLaterPasses() {
        int count = SettledItems.MAX + 10;
        assertThat(quietOf(count)).isZero();
        ticker.advance(SettledItems.QUIET);
        assertThat(quietOf(count)).isEqualTo(SettledItems.MAX);
        ticker.advance(SettledItems.QUIET);
        assertThat(quiet.isQuiet(item("item" + SettledItems.MAX, "1"))).isTrue();
    }

    @Test
    void itemsNotQueriedAnyMoreMakeRoom() {
        assertThat(quietOf(SettledItems.MAX)).isZero();
        ticker.advance(SettledItems.UNASKED);
        assertThat(quiet.isQuiet(item("new", "1"))).isFalse();
        ticker.advance(SettledItems.QUIET);
        assertThat(quiet.isQuiet(item("new", "1"))).isTrue();
    }

    private int quietOf(int count) {
        int found = 0;
        for (int i = 0; i < count; i++) {
            found += quiet.isQuiet(item("item" + i, "1")) ? 1 : 0;
        }
        return found;
    }
}
