package io.cloudmw.client.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.read.relay.TransferCredit;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class CreditPoolTest {
    @Test
    void reservationsAreAdmittedInOrderAndNeverBeyondTheCapacity() {
        CreditPool pool = new CreditPool(100);
        CompletableFuture<Void> first = pool.reserve(60);
        CompletableFuture<Void> second = pool.reserve(60);
        CompletableFuture<Void> third = pool.reserve(10);
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
        pool.giveBack(60);
        assertThat(second).isCompleted();
        assertThat(third).isCompleted();
        assertThat(pool.free()).isEqualTo(30);
    }

    @Test
    void borrowReturnsNothingWhileReservationWaits() {
        CreditPool pool = new CreditPool(100);
        assertThat(pool.reserve(60)).isCompleted();
        assertThat(pool.reserve(60)).isNotDone();
        assertThat(pool.borrow(10)).isZero();
    }

    @Test
    void cancelledReservationTakesNothing() {
        CreditPool pool = new CreditPool(100);
        assertThat(pool.reserve(60)).isCompleted();
        assertThat(pool.reserve(60).cancel(true)).isTrue();
        pool.giveBack(60);
        assertThat(pool.free()).isEqualTo(100);
    }

    @Test
    void reservationBeyondCapacityIsRefused() {
        assertThatThrownBy(() -> new CreditPool(10).reserve(11)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bytesTakenAheadLeaveTheReservation() {
        CreditPool pool = new CreditPool(1000);
        assertThat(pool.reserve(100)).isCompleted();
        TransferCredit credit = new TransferCredit(pool, 100, 1000);
        assertThat(credit.take(100, 100)).isEqualTo(100);
        assertThat(credit.takeAhead(300, 100)).isEqualTo(300);
        credit.giveBack(100);
        assertThat(pool.borrow(1000)).isEqualTo(600);
        assertThat(credit.take(200, 100)).isEqualTo(100);
        assertThat(credit.takeAhead(100, 100)).isZero();
    }

    @Test
    void bytesTakenAheadLeaveAQuarterOfThePool() {
        CreditPool pool = new CreditPool(1000);
        assertThat(pool.reserve(100)).isCompleted();
        assertThat(pool.borrow(400)).isEqualTo(400);
        TransferCredit credit = new TransferCredit(pool, 100, 1000);
        assertThat(credit.takeAhead(400, 50)).isEqualTo(250);
        assertThat(pool.free()).isEqualTo(250);
    }

    @Test
    void bytesTakenAheadAreAtMostHalfTheLimitUntilNeeded() {
        CreditPool pool = new CreditPool(1000);
        assertThat(pool.reserve(100)).isCompleted();
        TransferCredit credit = new TransferCredit(pool, 100, 700);
        assertThat(credit.takeAhead(400, 100)).isEqualTo(300);
        assertThat(pool.free()).isEqualTo(600);
        credit.isNeeded(300);
        credit.giveBack(300);
        assertThat(pool.free()).isEqualTo(900);
        credit.close();
        assertThat(pool.free()).isEqualTo(1000);
    }

    @Test
    void transferBorrowsUpToItsLimitAndReturnsIdleCredit() {
        CreditPool pool = new CreditPool(1000);
        assertThat(pool.reserve(100)).isCompleted();
        TransferCredit credit = new TransferCredit(pool, 100, 400);
        assertThat(credit.take(300, 100)).isEqualTo(300);
        assertThat(pool.free()).isEqualTo(700);
        assertThat(credit.take(300, 100)).isEqualTo(100);
        assertThat(credit.take(1, 1)).isZero();
        assertThat(credit.used()).isEqualTo(400);
        credit.giveBack(350);
        assertThat(pool.free()).isEqualTo(900);
        credit.giveBack(50);
        credit.close();
        credit.close();
        assertThat(pool.free()).isEqualTo(1000);
        assertThat(credit.take(1, 1)).isZero();
    }

    @Test
    void creditIsTakenInWholeLeavesExceptTheLast() {
        CreditPool pool = new CreditPool(250);
        assertThat(pool.reserve(200)).isCompleted();
        TransferCredit credit = new TransferCredit(pool, 200, 1000);
        assertThat(credit.take(1000, 100)).isEqualTo(200);
        assertThat(credit.take(30, 100)).isEqualTo(30);
    }
}
