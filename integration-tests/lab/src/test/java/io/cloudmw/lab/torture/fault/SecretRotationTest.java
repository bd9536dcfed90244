package io.cloudmw.lab.torture.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.lab.torture.fault.SecretRotation.Round;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SecretRotationTest {
    private static final long TOKENS = 20;
    private static final long REST = 60;

    private final SecretRotation rotation = new SecretRotation(List.of("a", "b"), TOKENS, REST);

    private void restartBoth(long nowNanos, boolean completes) {
        assertThat(rotation.next(name -> true)).contains("a");
        assertThat(rotation.restarted(nowNanos)).isFalse();
        assertThat(rotation.next(name -> true)).contains("b");
        assertThat(rotation.restarted(nowNanos)).isEqualTo(completes);
    }

    @Test
    void threeRoundsWithARestartOfEachProcessAreARotation() {
        assertThat(rotation.begin(0)).contains(Round.ADD);
        restartBoth(1, false);
        assertThat(rotation.begin(1)).contains(Round.EXCHANGE);
        restartBoth(5, false);
        assertThat(rotation.begin(5 + TOKENS - 1)).isEmpty();
        assertThat(rotation.begin(5 + TOKENS)).contains(Round.REMOVE);
        assertThat(rotation.rotations()).isZero();
        restartBoth(30, true);
        assertThat(rotation.rotations()).isEqualTo(1);
        assertThat(rotation.begin(30 + REST - 1)).isEmpty();
        assertThat(rotation.begin(30 + REST)).contains(Round.ADD);
    }

    @Test
    void oneProcessRestartsAtATime() {
        assertThat(rotation.next(name -> true)).isEmpty();
        Optional<Round> unused = rotation.begin(0);
        assertThat(rotation.next(name -> true)).contains("a");
        assertThat(rotation.next(name -> true)).isEmpty();
        assertThat(rotation.begin(1000)).isEmpty();
    }

    @Test
    void processThatIsNotFreeRestartsLaterAndTheRoundWaitsForIt() {
        Optional<Round> unused = rotation.begin(0);
        assertThat(rotation.next(name -> name.equals("b"))).contains("b");
        assertThat(rotation.isWaiting(name -> true)).isTrue();
        assertThat(rotation.isWaiting(name -> name.equals("b"))).isFalse();
        assertThat(rotation.restarted(1)).isFalse();
        assertThat(rotation.next(name -> name.equals("b"))).isEmpty();
        assertThat(rotation.begin(1000)).isEmpty();
        assertThat(rotation.next(name -> true)).contains("a");
        assertThat(rotation.restarted(2)).isFalse();
        assertThat(rotation.begin(3)).contains(Round.EXCHANGE);
    }
}
