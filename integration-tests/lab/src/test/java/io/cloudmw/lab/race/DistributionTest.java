package io.cloudmw.lab.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DistributionTest {
    private static Distribution oneTo(int count) {
        return new Distribution(
                IntStream.rangeClosed(1, count).mapToObj(i -> (double) i).collect(Collectors.toList()));
    }

    @Test
    void quantilesAreOrderStatistics() {
        assertThat(oneTo(40).quantile(0.5)).isEqualTo(20);
        assertThat(oneTo(40).quantile(0.99)).isEqualTo(40);
        assertThat(oneTo(41).quantile(0.5)).isEqualTo(21);
        assertThat(oneTo(100).quantile(0.99)).isEqualTo(99);
        assertThat(oneTo(100).quantile(0.999)).isEqualTo(100);
        assertThat(oneTo(1000).quantile(0.999)).isEqualTo(999);
        assertThat(oneTo(2000).quantile(0.999)).isEqualTo(1998);
        assertThat(oneTo(1).quantile(0.001)).isEqualTo(1);
        assertThat(oneTo(7).quantile(1)).isEqualTo(7);
    }

    @Test
    void theOrderOfMeasuringDoesNotMatter() {
        Distribution one = new Distribution(List.of(3.0, 1.0, 2.0));

        assertThat(one.ascending()).containsExactly(1, 2, 3);
        assertThat(one.smallest()).isEqualTo(1);
        assertThat(one.count()).isEqualTo(3);
    }

    @Test
    void nothingHasNoQuantiles() {
        assertThatThrownBy(() -> new Distribution(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> oneTo(3).quantile(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> oneTo(3).quantile(1.1)).isInstanceOf(IllegalArgumentException.class);
    }
}
