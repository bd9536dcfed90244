package io.cloudmw.coordinator.upkeep.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.status.collect.OrderedRound.State;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class CollectionOrdersTest {
    private static final CollectRound FOUND = CollectRound.began(true, 7, 3);
    private static final CollectProgress IDLE = CollectProgress.NONE;
    private static final CollectProgress FIRST = new CollectProgress(0, true, FOUND, CollectRound.NONE);

    private final CollectionOrders orders = new CollectionOrders();
    private final UUID one = UUID.randomUUID();
    private final UUID other = UUID.randomUUID();

    private ErrorCode refused(UUID id, boolean dry, long number) {
        return catchThrowableOfType(CloudMwException.class, () -> orders.add(id, dry, number))
                .code();
    }

    @Test
    void orderIsForOneRoundHoweverOftenItIsRepeated() throws Exception {
        assertThat(orders.add(one, true, 1)).isEqualTo(1);
        assertThat(orders.add(one, true, 2)).isEqualTo(1);
        assertThat(orders.find(one, IDLE)).isEqualTo(new OrderedRound(1, State.WAITING, CollectRound.NONE));
        assertThat(orders.find(one, FIRST)).isEqualTo(new OrderedRound(1, State.UNDER_WAY, FOUND));
        orders.end(1, FOUND);
        assertThat(orders.find(one, IDLE)).isEqualTo(new OrderedRound(1, State.DONE, FOUND));
        assertThat(orders.add(one, true, 2)).isEqualTo(1);
        assertThat(orders.dry(2)).isEmpty();
    }

    @Test
    void roundIsDryIfAllItsOrdersAreDry() throws Exception {
        assertThat(orders.dry(1)).isEmpty();
        orders.add(one, true, 1);
        assertThat(orders.dry(1)).isEqualTo(Optional.of(true));
        orders.add(other, false, 1);
        assertThat(orders.dry(1)).isEqualTo(Optional.of(false));
        assertThat(orders.dry(2)).isEmpty();
        orders.withdraw(other, IDLE);
        assertThat(orders.dry(1)).isEqualTo(Optional.of(true));
    }

    @Test
    void withdrawalRemovesOneOrderHoweverOftenItIsRepeated() throws Exception {
        orders.add(one, true, 1);
        orders.add(other, true, 1);
        orders.withdraw(one, FIRST);
        orders.withdraw(one, FIRST);
        assertThat(orders.dry(1)).isPresent();
        assertThat(orders.find(one, IDLE)).isEqualTo(new OrderedRound(1, State.CANCELLED, FOUND));
        assertThat(refused(one, true, 2)).isEqualTo(ErrorCode.CANCELLED);
        orders.withdraw(other, FIRST);
        assertThat(orders.dry(1)).isEmpty();
    }

    @Test
    void orderAfterItsWithdrawalIsRefused() {
        orders.withdraw(one, IDLE);
        assertThat(refused(one, true, 1)).isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void finishedOrderKeepsItsResult() throws Exception {
        orders.add(one, true, 1);
        orders.end(1, FOUND);
        orders.withdraw(one, IDLE);
        assertThat(orders.find(one, IDLE).state()).isEqualTo(State.DONE);
    }

    @Test
    void tooManyOrdersAreRefusedAndOldOnesForgotten() throws Exception {
        for (int i = 0; i < CollectionOrders.MOST_OPEN; i++) {
            orders.add(UUID.randomUUID(), true, 1);
        }
        assertThat(refused(one, true, 1)).isEqualTo(ErrorCode.OVERLOADED);
        orders.end(1, FOUND);
        orders.add(one, true, 2);
        orders.end(2, FOUND);
        for (int i = 0; i < CollectionOrders.MOST_OVER; i++) {
            assertThat(orders.find(one, IDLE).state()).isEqualTo(State.DONE);
            orders.withdraw(UUID.randomUUID(), IDLE);
        }
        assertThat(catchThrowableOfType(CloudMwException.class, () -> orders.find(one, IDLE))
                        .code())
                .isEqualTo(ErrorCode.NOT_FOUND);
    }
}
