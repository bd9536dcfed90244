package io.cloudmw.core.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.Mode;
import org.junit.jupiter.api.Test;

class ModePolicyTest {
    @Test
    void fewerStreamsAreFewerRacersAtWorkOnTheSameLanes() {
        ModePolicy usual = ModePolicy.of(Mode.COOPERATIVE, false);
        ModePolicy two = usual.withStreams(2, 3);

        assertThat(two.lineup().racers()).isEqualTo(2);
        assertThat(two.lanes(3)).isEqualTo(usual.lanes(3));
        assertThat(two.blocks()).isEqualTo(usual.blocks());
        assertThat(two.extras()).isEqualTo(usual.extras());
        assertThat(ModePolicy.of(Mode.SINGLE, false).withStreams(12, 3).lineup().racers())
                .isEqualTo(1);
    }

    @Test
    void fewerStreamsOfARaceAreFewerRacesAtOnce() {
        ModePolicy usual = ModePolicy.of(Mode.KN, false);

        assertThat(usual.withStreams(3, 3).lineup().lanes()).isEqualTo(1);
        assertThat(usual.withStreams(1, 3).lineup().lanes()).isEqualTo(1);
        assertThat(usual.withStreams(9, 3).lineup().lanes()).isEqualTo(3);
        assertThat(usual.withStreams(1000, 3)).isEqualTo(usual);
    }

    @Test
    void aDelayIsKeptExactly() {
        ModePolicy.Extras extras =
                ModePolicy.of(Mode.HEDGED, false).withDelay(30_000_000).extras();

        assertThat(extras.onLateness()).isEqualTo(IssueReason.HEDGE);
        assertThat(extras.delayNanos(1)).isEqualTo(30_000_000);
        assertThat(extras.delayNanos(1e12)).isEqualTo(30_000_000);
        assertThat(extras.within(1)).as("the floor after the first byte").isEqualTo(20_000_000);
        assertThat(ModePolicy.of(Mode.HEDGED, false).withDelay(0).extras().delayNanos(1e12))
                .as("at once")
                .isEqualTo(1);
    }

    @Test
    void aReadOfOneBlockTiesNoBlockAndConnectsNoHelpers() {
        ModePolicy cooperative = ModePolicy.of(Mode.COOPERATIVE, false);
        long block = cooperative.blocks().blockBytes();

        assertThat(cooperative.forRead(block).lineup().tied()).isFalse();
        assertThat(cooperative.forRead(block).needsRivals()).isFalse();
        assertThat(cooperative.forRead(block + 1)).isEqualTo(cooperative);
        assertThat(cooperative.needsRivals()).isTrue();
        assertThat(ModePolicy.of(Mode.ROUNDS, false).forRead(1).needsRivals()).isTrue();
        assertThat(ModePolicy.of(Mode.HEDGED, false).needsRivals()).isFalse();
    }

    @Test
    void anAttemptAsksForABlockOrLess() {
        assertThat(ModePolicy.of(Mode.HEDGED, false).attemptBytes(1L << 40)).isEqualTo(8 << 20);
        assertThat(ModePolicy.of(Mode.HEDGED, true).attemptBytes(7)).isEqualTo(7);
        assertThat(ModePolicy.of(Mode.ROUNDS, false).attemptBytes(1L << 40)).isEqualTo(1L << 40);
    }

    @Test
    void aPolicyHasAtLeastOneStream() {
        assertThatThrownBy(() -> ModePolicy.of(Mode.KN, false).withStreams(0, 3))
                .hasMessage("streams: 0 (expected: >= 1)");
    }
}
