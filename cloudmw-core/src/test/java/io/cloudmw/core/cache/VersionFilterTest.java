package io.cloudmw.core.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.VersionId;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class VersionFilterTest {
    private static final int MANY = 1_000_000;
    private static final int OTHERS = 100_000;

    private static VersionId random(SplittableRandom random) {
        return new VersionId(String.format(Locale.ROOT, "%016x%016x", random.nextLong(), random.nextLong()));
    }

    /** The expected share of false positives is 1 in 80,000 with 2^26 bits, 1 in 500 with 2^24. */
    @ParameterizedTest
    @CsvSource({"26, 20", "24, 500"})
    void addedVersionsAreAlwaysContainedAndFewOthersAre(int bits, int mostOthers) {
        VersionFilter filter = new VersionFilter(bits);
        SplittableRandom first = new SplittableRandom(1);
        for (int i = 0; i < MANY; i++) {
            filter.add(random(first));
        }
        SplittableRandom again = new SplittableRandom(1);
        boolean all = true;
        for (int i = 0; i < MANY; i++) {
            all &= filter.mayContain(random(again));
        }
        assertThat(all).isTrue();
        SplittableRandom others = new SplittableRandom(2);
        int taken = 0;
        for (int i = 0; i < OTHERS; i++) {
            taken += filter.mayContain(random(others)) ? 1 : 0;
        }
        assertThat(taken).isLessThan(mostOthers);
        filter.clear();
        assertThat(filter.mayContain(random(new SplittableRandom(1)))).isFalse();
    }

    @Test
    void sizesOutOfBoundsAreRefused() {
        assertThatThrownBy(() -> new VersionFilter(0)).hasMessageContaining("indexBits: 0");
        assertThatThrownBy(() -> new VersionFilter(29)).hasMessageContaining("indexBits: 29");
    }
}
