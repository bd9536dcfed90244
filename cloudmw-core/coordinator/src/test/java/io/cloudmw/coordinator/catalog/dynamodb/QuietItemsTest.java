package io.cloudmw.coordinator.catalog.dynamodb;

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

    /** Each pass asks about all of them in the same order, and there are more than there is room for. */
    @Test
    void moreThanThereIsRoomForBecomeQuietOnePassAfterTheOther() {
        int count = QuietItems.MAX + 10;
        assertThat(quietOf(count)).isZero();
        ticker.advance(QuietItems.QUIET);
        assertThat(quietOf(count)).isEqualTo(QuietItems.MAX);
        ticker.advance(QuietItems.QUIET);
        assertThat(quiet.isQuiet(item("item" + QuietItems.MAX, "1"))).isTrue();
    }

    @Test
    void whatNobodyAsksAboutAnyMoreMakesRoom() {
        assertThat(quietOf(QuietItems.MAX)).isZero();
        ticker.advance(QuietItems.UNASKED);
        assertThat(quiet.isQuiet(item("new", "1"))).isFalse();
        ticker.advance(QuietItems.QUIET);
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
