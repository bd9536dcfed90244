package io.cloudmw.core.cost.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cloudmw.core.cost.ReadChoice;
import io.cloudmw.core.cost.ReadGoal;
import io.cloudmw.core.cost.ReadRates;
import io.cloudmw.core.cost.ReadStrategy;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SlaPlannerTest {
    private static final long MIB = 1 << 20;
    private static final ReadRates S3 = new ReadRates(4e-7, 0.09 / (1 << 30));

    /** Median 30 ms, p95 100 ms, p99 200 ms; 90 MiB/s. */
    private static final ExpectedSpeed TAILED =
            new ExpectedSpeed(30_000_000, 100_000_000, 200_000_000, 90 * MIB, 90 * MIB, 0, 1, 100);

    @Test
    void aTargetThatASingleAttemptKeepsIsReadByOne() {
        ReadChoice choice = choose(64 << 10, 3, Duration.ofMillis(300));
        assertThat(choice.meets()).isTrue();
        assertThat(choice.strategy()).isEqualTo(new ReadStrategy(Mode.SINGLE, 1, Optional.empty()));
    }

    /** p99 of one attempt is 200 ms; hedged after 100 ms it is about 150 ms, after 30 ms about 100 ms. */
    @Test
    void aTailIsCutAtTheLeastPrice() {
        ReadChoice within160 = choose(64 << 10, 3, Duration.ofMillis(160));
        assertThat(within160.meets()).isTrue();
        assertThat(within160.strategy()).isEqualTo(hedgedAfter(100));
        assertThat(within160.prediction().requests()).isBetween(1.04, 1.06);
        assertThat(within160.prediction().secondAttempts()).isBetween(0.04, 0.06);
        ReadChoice within110 = choose(64 << 10, 3, Duration.ofMillis(110));
        assertThat(within110.meets()).isTrue();
        assertThat(within110.strategy()).isEqualTo(hedgedAfter(30));
    }

    private static ReadStrategy hedgedAfter(int millis) {
        return new ReadStrategy(Mode.HEDGED, 1, Optional.of(Duration.ofMillis(millis)));
    }

    /** Every other read needs a second attempt after 30 ms; a budget of 5% allows one in twenty. */
    @Test
    void strategiesBeyondTheBudgetAreNotChosen() {
        RedundancyBudget spent = new RedundancyBudget(new RedundancyLimits(0.05, 0, 64 * MIB));
        ReadChoice choice = choose(64 << 10, TAILED, 3, Duration.ofMillis(110), spent);
        assertThat(choice.meets()).isTrue();
        assertThat(choice.strategy().mode()).isEqualTo(Mode.KN);
    }

    /** 64 MiB in one chunk: three requests by all, or eight for its blocks; within a region bytes are free. */
    @Test
    void bytesThatCostNothingAreNoReasonForAFullRace() {
        ReadShape shape = new ReadShape(64 * MIB, 64 * MIB, Collections.nCopies(3, TAILED), Long.MAX_VALUE);
        ReadChoice choice = SlaPlanner.choose(
                shape,
                3,
                new ReadGoal(0.99, Duration.ofMillis(900)),
                new ReadRates(4e-7, 0),
                new RedundancyBudget(RedundancyLimits.DEFAULT));
        assertThat(choice.meets()).isTrue();
        assertThat(choice.prediction().fetchedBytes()).isLessThan(1.1 * 64 * MIB);
    }

    @Test
    void storesThatAreSlowAsAWholeAreNotRacedForByAll() {
        ExpectedSpeed slow = new ExpectedSpeed(3_000_000, 10_000_000, 20_000_000, 90 * MIB, 90 * MIB, 0, 10, 100);
        RedundancyBudget spent = new RedundancyBudget(new RedundancyLimits(0.05, 0, 64 * MIB));
        ReadChoice choice = choose(64 << 10, slow, 3, Duration.ofMillis(110), spent);
        assertThat(choice.meets()).isFalse();
        assertThat(choice.strategy().mode()).isNotEqualTo(Mode.KN);
    }

    /** 3 helpers have 12 lanes, and 24 MiB three blocks. */
    @Test
    void noMoreStreamsAreChosenThanThereAreBlocks() {
        ReadChoice choice = choose(24 * MIB, 3, Duration.ofMillis(1));
        assertThat(choice.strategy().streams()).isEqualTo(3);
    }

    @Test
    void aLongReadGetsAsManyStreamsAsItNeeds() {
        ReadChoice slow = choose(900 * MIB, 3, Duration.ofSeconds(20));
        assertThat(slow.strategy().mode()).isEqualTo(Mode.SINGLE);
        ReadChoice quick = choose(900 * MIB, 3, Duration.ofSeconds(6));
        assertThat(quick.meets()).isTrue();
        assertThat(quick.strategy().streams()).isBetween(2, 4);
        assertThat(quick.prediction().fetchedBytes()).isLessThan(1.1 * 900 * MIB);
    }

    @Test
    void aReadWithoutASecondReplicaIsNotHedged() {
        ReadChoice choice = choose(64 << 10, 1, Duration.ofMillis(160));
        assertThat(choice.meets()).isFalse();
        assertThat(choice.prediction().requests()).isEqualTo(1);
    }

    @Test
    void anImpossibleTargetIsReadAsFastAsPossible() {
        ReadChoice choice = choose(64 << 10, 3, Duration.ofMillis(1));
        assertThat(choice.meets()).isFalse();
        assertThat(choice.strategy()).as("not with three times the bytes").isEqualTo(hedgedAfter(30));
    }

    @Test
    void goalsAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> new ReadGoal(1, Duration.ofSeconds(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> new ReadGoal(0, Duration.ofSeconds(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> new ReadGoal(0.5, Duration.ZERO));
    }

    private static ReadChoice choose(long bytes, int replicas, Duration deadline) {
        return choose(bytes, TAILED, replicas, deadline, new RedundancyBudget(RedundancyLimits.DEFAULT));
    }

    private static ReadChoice choose(
            long bytes, ExpectedSpeed speed, int replicas, Duration deadline, RedundancyBudget governor) {
        ReadShape shape = new ReadShape(bytes, 64 * MIB, Collections.nCopies(replicas, speed), Long.MAX_VALUE);
        return SlaPlanner.choose(shape, 3, new ReadGoal(0.99, deadline), S3, governor);
    }
}
