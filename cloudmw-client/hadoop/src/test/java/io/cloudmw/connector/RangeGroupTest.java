package io.cloudmw.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class RangeGroupTest {
    private static final RangeLimits LIMITS = new RangeLimits(10, 100, 4);

    private static RequestedRange range(long offset, long length) {
        return new RequestedRange(new ByteRange(offset, length), new CompletableFuture<>());
    }

    private static List<ByteRange> wholes(RequestedRange... ranges) {
        return RangeGroup.combine(Arrays.asList(ranges), LIMITS).stream()
                .map(RangeGroup::whole)
                .collect(Collectors.toList());
    }

    @Test
    void rangesNearEachOtherAreReadTogetherInTheOrderOfTheFile() {
        assertThat(wholes(range(40, 10), range(0, 10), range(20, 10), range(61, 10)))
                .containsExactly(new ByteRange(0, 50), new ByteRange(61, 10));
    }

    @Test
    void rangesAreNotCombinedBeyondTheLargestLength() {
        assertThat(wholes(range(0, 60), range(60, 40), range(100, 1)))
                .containsExactly(new ByteRange(0, 100), new ByteRange(100, 1));
    }

    @Test
    void longRangeIsReadAlone() {
        assertThat(wholes(range(0, 10), range(10, 500), range(510, 10)))
                .containsExactly(new ByteRange(0, 10), new ByteRange(10, 500), new ByteRange(510, 10));
    }

    @Test
    void overlapIsRefused() {
        assertThatThrownBy(() -> wholes(range(5, 10), range(0, 6)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ranges: [0, 6) and [5, 15) (expected: no overlap)");
    }

    @Test
    void everyRangeIsInOneGroupWhateverTheRanges() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            List<RequestedRange> ranges = new ArrayList<>();
            long at = 0;
            for (int i = random.nextInt(50); i >= 0; i--) {
                at += random.nextInt(25);
                int length = 1 + random.nextInt(60);
                ranges.add(range(at, length));
                at += length;
            }
            Collections.shuffle(ranges, random);
            List<RangeGroup> groups = RangeGroup.combine(ranges, LIMITS);
            assertThat(groups.stream().flatMap(group -> group.parts().stream()).collect(Collectors.toList()))
                    .as("seed %s", seed)
                    .containsExactlyInAnyOrderElementsOf(ranges);
            for (RangeGroup group : groups) {
                assertThat(group.whole().length() <= 100 || group.parts().size() == 1)
                        .as("seed %s, %s", seed, group.whole())
                        .isTrue();
            }
        }
    }
}
