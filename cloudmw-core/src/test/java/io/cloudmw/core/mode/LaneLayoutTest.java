package io.cloudmw.core.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.race.RacerId;
import org.junit.jupiter.api.Test;

class LaneLayoutTest {
    private final LaneLayout lanes = new LaneLayout(3, 2);

    @Test
    void theFirstLanesHaveTheHelpersOwnRanks() {
        assertThat(lanes.racer(2, 0)).isEqualTo(new RacerId(2));
        assertThat(lanes.of(2)).containsExactly(new RacerId(2), new RacerId(5));
    }

    @Test
    void aRacerKnowsItsHelperAndLane() {
        RacerId racer = lanes.racer(1, 1);

        assertThat(lanes.helper(racer)).isEqualTo(1);
        assertThat(lanes.lane(racer)).isEqualTo(1);
    }

    @Test
    void ranksBeyondTheHelpersBelongToTheClient() {
        assertThat(lanes.isHelpers(new RacerId(5))).isTrue();
        assertThat(lanes.isHelpers(new RacerId(6))).isFalse();
        assertThatThrownBy(() -> lanes.helper(new RacerId(6))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lanes.racer(3, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
