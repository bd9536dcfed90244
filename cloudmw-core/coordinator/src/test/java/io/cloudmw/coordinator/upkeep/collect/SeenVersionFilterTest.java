package io.cloudmw.coordinator.upkeep.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.VersionId;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SeenVersionFilterTest {
    private static VersionId random(SplittableRandom random) {
        return new VersionId(String.format(Locale.ROOT, "%016x%016x", random.nextLong(), random.nextLong()));
    }

    @Test
    void seenVersionsAreAlwaysRecognizedAndFewOthersAre() {
        SeenVersionFilter seen = new SeenVersionFilter();
        SplittableRandom first = new SplittableRandom(1);
        for (int i = 0; i < 1_000_000; i++) {
            seen.add(random(first));
        }
        SplittableRandom again = new SplittableRandom(1);
        boolean all = true;
        for (int i = 0; i < 1_000_000; i++) {
            all &= seen.mayHave(random(again));
        }
        assertThat(all).isTrue();
        SplittableRandom others = new SplittableRandom(2);
        int taken = 0;
        for (int i = 0; i < 100_000; i++) {
            taken += seen.mayHave(random(others)) ? 1 : 0;
        }
        assertThat(taken).as("one in 80,000 is expected").isLessThan(20);
        seen.clear();
        assertThat(seen.mayHave(random(new SplittableRandom(1)))).isFalse();
    }
}
