package io.cloudmw.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class EditDistanceTest {
    @Test
    void distanceCountsInsertionsDeletionsReplacementsAndSwaps() {
        assertThat(EditDistance.between("", "abc")).isEqualTo(3);
        assertThat(EditDistance.between("abc", "")).isEqualTo(3);
        assertThat(EditDistance.between("volume", "volume")).isZero();
        assertThat(EditDistance.between("vlume", "volume")).isEqualTo(1);
        assertThat(EditDistance.between("volumes", "volume")).isEqualTo(1);
        assertThat(EditDistance.between("vorume", "volume")).isEqualTo(1);
        assertThat(EditDistance.between("gte", "get")).isEqualTo(1);
        assertThat(EditDistance.between("kitten", "sitting")).isEqualTo(3);
    }

    @Test
    void wordThatBeginsACandidateMeansIt() {
        assertThat(EditDistance.meant("vol", List.of("top", "volume"))).contains("volume");
        assertThat(EditDistance.meant("st", List.of("store", "stat", "ls"))).contains("stat");
        assertThat(EditDistance.meant("v", List.of("volume", "ls"))).isEmpty();
    }

    @Test
    void wordsThatAreMoreThanHalfWrongAreNoTypos() {
        assertThat(EditDistance.meant("gte", List.of("gc", "get"))).contains("get");
        assertThat(EditDistance.meant("ab", List.of("ax"))).contains("ax");
        assertThat(EditDistance.meant("ab", List.of("xyz"))).isEmpty();
        assertThat(EditDistance.meant("abcdef", List.of("abcxyz"))).contains("abcxyz");
        assertThat(EditDistance.meant("abcdef", List.of("abwxyz"))).isEmpty();
        assertThat(EditDistance.meant("ab", List.of())).isEmpty();
    }
}
