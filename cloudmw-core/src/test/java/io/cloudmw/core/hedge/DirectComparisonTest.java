package io.cloudmw.core.hedge;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.DirectUse;
import org.junit.jupiter.api.Test;

final class DirectComparisonTest {
    private final DirectComparison probing = new DirectComparison(DirectUse.PROBING);

    @Test
    void directReadsThatAreAsGoodArePreferred() {
        assertThat(probing.fetched(125, 100)).isTrue();
        assertThat(probing.use()).isEqualTo(DirectUse.PREFERRED);
    }

    @Test
    void slowerDirectReadsStayAProbe() {
        for (int block = 0; block < 10; block++) {
            assertThat(probing.fetched(126, 100)).isFalse();
        }
        assertThat(probing.use()).isEqualTo(DirectUse.PROBING);
    }

    @Test
    void preferredReadsAreGivenUpWhenTheyAreClearlyWorse() {
        DirectComparison preferred = new DirectComparison(DirectUse.PREFERRED);
        assertThat(preferred.fetched(200, 100)).isFalse();

        assertThat(preferred.fetched(201, 100)).isTrue();
        assertThat(preferred.use()).isEqualTo(DirectUse.LAST_RESORT);
        assertThat(preferred.fetched(1, 100)).isFalse();
    }

    @Test
    void twoFailuresInARowEndDirectReads() {
        assertThat(probing.failed(ErrorCode.STORE_UNAVAILABLE)).isFalse();
        assertThat(probing.fetched(200, 100)).isFalse();
        assertThat(probing.failed(ErrorCode.STORE_DENIED)).isFalse();

        assertThat(probing.failed(ErrorCode.STORE_DENIED)).isTrue();
        assertThat(probing.use()).isEqualTo(DirectUse.LAST_RESORT);
    }

    @Test
    void badReplicasAreNoFaultOfTheWay() {
        for (int failure = 0; failure < 5; failure++) {
            assertThat(probing.failed(ErrorCode.REPLICA_CORRUPT)).isFalse();
        }
        assertThat(probing.use()).isEqualTo(DirectUse.PROBING);
    }
}
