package io.cloudmw.core.hedge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.StoreId;
import org.junit.jupiter.api.Test;

class RedundancyBudgetTest {
    private static final StoreId LATE = new StoreId("late");
    private static final StoreId OTHER = new StoreId("other");

    private final RedundancyBudget governor = new RedundancyBudget(new RedundancyLimits(0.05, 2, 1000));

    @Test
    void aShareOfNothingAllowsNothing() {
        RedundancyBudget none = new RedundancyBudget(RedundancyLimits.ofShare(0));

        assertThat(none.spend(LATE, OTHER, 0)).isFalse();
        assertThat(RedundancyLimits.ofShare(0.05)).isEqualTo(RedundancyLimits.DEFAULT);
    }

    @Test
    void theBurstIsThereFromTheBeginningAndNoMore() {
        assertThat(governor.spend(LATE, OTHER, 10)).isTrue();
        assertThat(governor.spend(LATE, OTHER, 10)).isTrue();
        assertThat(governor.spend(LATE, OTHER, 10)).isFalse();
        assertThat(governor.spentRequests()).isEqualTo(2);
        assertThat(governor.suppressed()).isEqualTo(1);
    }

    @Test
    void twentyUsefulRequestsEarnOneExtra() {
        governor.spend(LATE, OTHER, 0);
        governor.spend(LATE, OTHER, 0);
        for (int i = 0; i < 19; i++) {
            governor.usefulRequest();
        }
        assertThat(governor.spend(LATE, OTHER, 0)).isFalse();

        governor.usefulRequest();
        governor.usefulRequest();
        assertThat(governor.spend(LATE, OTHER, 0)).isTrue();
    }

    @Test
    void bytesAreLimitedAsRequestsAre() {
        assertThat(governor.spend(LATE, OTHER, 1001)).isFalse();
        assertThat(governor.spend(LATE, OTHER, 1000)).isTrue();
        assertThat(governor.spend(LATE, OTHER, 1)).isFalse();

        governor.usefulBytes(20);
        assertThat(governor.spend(LATE, OTHER, 1)).isTrue();
    }

    @Test
    void refundedBytesCanBeSpentAgain() {
        governor.spend(LATE, OTHER, 1000);
        governor.refund(400);

        assertThat(governor.spentBytes()).isEqualTo(600);
        assertThat(governor.spend(LATE, OTHER, 400)).isTrue();
    }

    /** The bucket holds two and three are charged: twenty useful requests make up for one, and twenty more earn one. */
    @Test
    void chargedExtrasAreEarnedAgainBeforeAnyIsAllowed() {
        governor.charge(3, 100);
        assertThat(governor.spentRequests()).isEqualTo(3);
        assertThat(governor.spentBytes()).isEqualTo(100);
        assertThat(governor.patience()).isEqualTo(4);
        for (int i = 0; i < 39; i++) {
            governor.usefulRequest();
        }
        assertThat(governor.spend(LATE, OTHER, 0)).isFalse();
        for (int i = 0; i < 2; i++) {
            governor.usefulRequest();
        }
        assertThat(governor.spend(LATE, OTHER, 0)).isTrue();
    }

    @Test
    void unspentExtrasDoNotAccumulate() {
        governor.usefulBytes(1_000_000_000);
        for (int i = 0; i < 1000; i++) {
            governor.usefulRequest();
        }

        assertThat(governor.spend(LATE, OTHER, 1001)).isFalse();
    }

    @Test
    void halfOfTheBucketsIsKeptForLateAttempts() {
        assertThat(governor.spendSpare(LATE, OTHER, 500)).isTrue();
        assertThat(governor.spendSpare(LATE, OTHER, 0)).isFalse();
        assertThat(governor.suppressed()).isZero();
        assertThat(governor.spend(LATE, OTHER, 500)).isTrue();
    }

    @Test
    void spareRequestsAreThoseSpendSpareAllows() {
        for (int burst : new int[] {0, 1, 2, 7, 16}) {
            RedundancyBudget full = new RedundancyBudget(new RedundancyLimits(0.05, burst, 1000));
            int spare = full.spareRequests();
            int allowed = 0;
            while (full.spendSpare(LATE, OTHER, 0)) {
                allowed++;
            }
            assertThat(spare).as("of %d", burst).isEqualTo(allowed);
            assertThat(full.spareRequests()).isZero();
        }
    }

    @Test
    void patienceGrowsAsTheBucketsEmpty() {
        assertThat(governor.patience()).isEqualTo(1.25);
        governor.spend(LATE, OTHER, 0);
        assertThat(governor.patience()).isEqualTo(2.625);
        governor.spend(LATE, OTHER, 0);
        assertThat(governor.patience()).isEqualTo(4);
    }

    @Test
    void extrasAreSuppressedWhenMostAnswersOfBothStoresAreLate() {
        answers(LATE, 8, true);
        assertThat(governor.isSlow(LATE)).isTrue();
        assertThat(governor.spend(LATE, OTHER, 0)).isTrue();

        answers(OTHER, 8, true);
        assertThat(governor.spend(LATE, OTHER, 0)).isFalse();
        assertThat(governor.suppressed()).isEqualTo(1);

        answers(OTHER, 8, false);
        assertThat(governor.spend(LATE, OTHER, 0)).isTrue();
    }

    @Test
    void aSingleLateAnswerOfEachStoreSuppressesUntilEitherIsInTimeAgain() {
        governor.judged(LATE, true);
        assertThat(governor.spend(LATE, OTHER, 0)).isTrue();
        governor.judged(OTHER, true);
        assertThat(governor.spend(LATE, OTHER, 0)).isFalse();
        governor.judged(OTHER, false);
        assertThat(governor.spend(LATE, OTHER, 0)).isTrue();
    }

    /** The last block of a read: no other answer will show how fast the stores are. */
    @Test
    void aStalledAttemptGetsItsExtraWhenBothStoresAreSlow() {
        governor.answered(OTHER, 100);
        answers(LATE, 1, true);
        answers(OTHER, 1, true);
        assertThat(governor.spend(LATE, OTHER, 0, 3200)).isFalse();
        assertThat(governor.spend(LATE, OTHER, 0, 3201)).isTrue();
    }

    @Test
    void noAttemptIsStalledWhenAllStoresStandStill() {
        for (int i = 0; i < 100; i++) {
            governor.answered(LATE, 100);
            governor.answered(OTHER, 100);
        }
        answers(LATE, 1, true);
        answers(OTHER, 1, true);
        for (long waited = 500; waited < 1_000_000; waited += 500) {
            governor.answered(LATE, waited);
            governor.answered(OTHER, waited);
            assertThat(governor.spend(LATE, OTHER, 0, waited)).isFalse();
        }
    }

    @Test
    void aStoreThatNeverAnsweredIsNoMeasure() {
        answers(LATE, 1, true);
        answers(OTHER, 1, true);
        assertThat(governor.spend(LATE, OTHER, 0, Long.MAX_VALUE)).isFalse();
    }

    @Test
    void extrasAreSuppressedWhenTheMediansOfBothStoresMoved() {
        governor.measured(LATE, 10);
        assertThat(governor.spend(LATE, OTHER, 0))
                .as("the other store is not slow")
                .isTrue();
        governor.measured(OTHER, 10);
        assertThat(governor.spend(LATE, OTHER, 0)).isFalse();
        assertThat(governor.suppressed()).isEqualTo(1);

        governor.measured(OTHER, 1);
        assertThat(governor.spend(LATE, OTHER, 0)).isTrue();
    }

    @Test
    void monitoredShiftAgesWithEachAnswer() {
        governor.measured(LATE, 10);
        answers(LATE, 20, false);
        assertThat(governor.isSlow(LATE)).isTrue();
        answers(LATE, 80, false);
        assertThat(governor.isSlow(LATE)).isFalse();
    }

    @Test
    void readMaySpendItsShareAndTheBuckets() {
        assertThat(governor.affords(20, 3, 0, 0)).isTrue();
        assertThat(governor.affords(20, 3.1, 0, 0)).isFalse();
        assertThat(governor.affords(1, 0, 1000, 1050)).isTrue();
        assertThat(governor.affords(1, 0, 1000, 1051)).isFalse();
        governor.spend(LATE, OTHER, 1000);
        assertThat(governor.affords(20, 3, 0, 0)).isFalse();
        assertThat(governor.affords(1, 0, 1000, 50)).isTrue();
    }

    @Test
    void aLateAnswerNowAndThenIsForgottenWithTheNextOne() {
        for (int i = 0; i < 100; i++) {
            governor.judged(LATE, i % 10 == 0);
            assertThat(governor.isSlow(LATE)).isEqualTo(i % 10 == 0);
        }
        answers(LATE, 10_000, false);
        governor.judged(LATE, true);
        assertThat(governor.isSlow(LATE)).as("one late answer is enough").isTrue();
    }

    @Test
    void leastRecentlyUsedStoresAreDropped() {
        for (int i = 0; i < 2 * RedundancyBudget.MAX_STORES; i++) {
            governor.judged(new StoreId("s" + i), true);
        }

        assertThat(governor.remembered()).isEqualTo(RedundancyBudget.MAX_STORES);
    }

    @Test
    void aShareMustBeWithinZeroAndOne() {
        assertThatThrownBy(() -> new RedundancyLimits(1.5, 0, 0)).hasMessage("share: 1.5 (expected: 0..1)");
        assertThatThrownBy(() -> new RedundancyLimits(0, -1, 0)).hasMessage("burstRequests: -1 (expected: >= 0)");
        assertThatThrownBy(() -> new RedundancyLimits(0, 0, -1)).hasMessage("burstBytes: -1 (expected: >= 0)");
    }

    private void answers(StoreId store, int count, boolean late) {
        for (int i = 0; i < count; i++) {
            governor.judged(store, late);
        }
    }
}
