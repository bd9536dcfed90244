package io.cloudmw.lab.torture.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class FaultMixTest {
    private static final List<FaultKind> KINDS =
            Arrays.stream(FaultKind.values()).filter(kind -> kind.isDrawn(true)).toList();

    private static Map<FaultKind, Integer> counted(FaultMix mix, int draws, SplittableRandom busy) {
        Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
        for (int i = 0; i < draws; i++) {
            // A fault that needs a store is only possible now and then.
            boolean free = busy.nextInt(5) == 0;
            mix.next(kind -> free || !kind.isOfStore()).ifPresent(drawn -> counts.merge(drawn.kind(), 1, Integer::sum));
        }
        return counts;
    }

    /** Rarely possible kinds get their share, too, since the others wait for them. */
    @Test
    void everyKindHasItsShare() {
        for (long seed = 1; seed <= 20; seed++) {
            Map<FaultKind, Integer> counts = counted(new FaultMix(seed, KINDS), 2000, new SplittableRandom(seed));
            double least = KINDS.stream()
                    .mapToDouble(kind -> (double) counts.getOrDefault(kind, 0) / kind.share())
                    .min()
                    .orElseThrow();
            assertThat(least).as("seed %d: %s", seed, counts).isGreaterThan(10);
            assertThat(KINDS)
                    .allSatisfy(kind -> assertThat((double) counts.getOrDefault(kind, 0) / kind.share())
                            .isLessThanOrEqualTo(least + FaultMix.AHEAD + 1.0 / kind.share()));
        }
    }

    @Test
    void impossibleFaultIsNotDrawnAndHoldsBackKindsTooFarAhead() {
        FaultMix mix = new FaultMix(1, KINDS);
        int drawn = 0;
        Optional<FaultMix.Drawn> next = mix.next(kind -> kind == FaultKind.HELPERS_CUT);
        while (next.isPresent()) {
            assertThat(next.get().kind()).isEqualTo(FaultKind.HELPERS_CUT);
            drawn++;
            next = mix.next(kind -> kind == FaultKind.HELPERS_CUT);
        }
        assertThat(drawn).isEqualTo((int) (FaultMix.AHEAD * FaultKind.HELPERS_CUT.share()));
        assertThat(mix.next(kind -> true)).isPresent();
    }

    /** The order in which kinds are drawn makes no difference. */
    @Test
    void theNthFaultOfAKindDependsOnTheSeedAlone() {
        Map<FaultKind, List<Long>> one = drawn(new FaultMix(7, KINDS), new SplittableRandom(1));
        Map<FaultKind, List<Long>> other = drawn(new FaultMix(7, KINDS), new SplittableRandom(2));
        Map<FaultKind, List<Long>> third = drawn(new FaultMix(8, KINDS), new SplittableRandom(1));
        for (FaultKind kind : KINDS) {
            List<Long> first = one.getOrDefault(kind, List.of());
            List<Long> second = other.getOrDefault(kind, List.of());
            int both = Math.min(first.size(), second.size());
            assertThat(both).isPositive();
            assertThat(first.subList(0, both)).isEqualTo(second.subList(0, both));
            assertThat(first).doesNotContainAnyElementsOf(third.getOrDefault(kind, List.of()));
        }
    }

    private static Map<FaultKind, List<Long>> drawn(FaultMix mix, SplittableRandom busy) {
        Map<FaultKind, List<Long>> numbers = new EnumMap<>(FaultKind.class);
        for (int i = 0; i < 500; i++) {
            boolean free = busy.nextBoolean();
            mix.next(kind -> free || !kind.isOfStore())
                    .ifPresent(drawn -> numbers.computeIfAbsent(drawn.kind(), kind -> new ArrayList<>())
                            .add(drawn.random().nextLong()));
        }
        return numbers;
    }
}
