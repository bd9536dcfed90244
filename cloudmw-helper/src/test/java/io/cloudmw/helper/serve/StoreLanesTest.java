package io.cloudmw.helper.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.StoreId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Tests with threads that the test steps: each takes one task of the pool. */
final class StoreLanesTest {
    private static final StoreId SLOW = new StoreId("slow");
    private static final StoreId FAST = new StoreId("fast");

    private final Deque<Runnable> pool = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private int room = Integer.MAX_VALUE;
    private final StoreLanes lanes = new StoreLanes(
            task -> {
                if (pool.size() >= room) {
                    throw new RejectedExecutionException("full");
                }
                pool.add(task);
            },
            2,
            2);

    private void put(StoreId store, String name) {
        lanes.execute(store, () -> ran.add(name));
    }

    private void step() {
        pool.remove().run();
    }

    @Test
    void storeUsesAtMostItsWidthAndOthersUseTheRest() {
        for (int i = 0; i < 5; i++) {
            put(SLOW, "slow" + i);
        }
        assertThat(pool).hasSize(2);
        put(FAST, "fast");
        assertThat(pool).hasSize(3);
    }

    @Test
    void failureIsNewsOnceUntilASuccess() {
        assertThat(lanes.succeeded(SLOW)).isFalse();
        assertThat(lanes.failed(SLOW)).isTrue();
        assertThat(lanes.failed(SLOW)).isFalse();
        assertThat(lanes.failed(FAST)).isTrue();
        assertThat(lanes.succeeded(SLOW)).isTrue();
        assertThat(lanes.succeeded(SLOW)).isFalse();
        assertThat(lanes.failed(SLOW)).isTrue();
        assertThat(lanes.failed(FAST)).isFalse();
    }

    @Test
    void failuresBeyondTheLimitAreAlwaysNews() {
        for (int i = 0; i < 1024; i++) {
            assertThat(lanes.failed(new StoreId("s" + i))).isTrue();
        }
        assertThat(lanes.failed(FAST)).isTrue();
        assertThat(lanes.failed(FAST)).isTrue();
        assertThat(lanes.failed(new StoreId("s7"))).isFalse();
    }

    @Test
    void otherStoresHaveATurnAfterEachPut() {
        for (int i = 0; i < 3; i++) {
            put(SLOW, "slow" + i);
        }
        put(FAST, "fast");
        while (!pool.isEmpty()) {
            step();
        }
        assertThat(ran).containsExactly("slow0", "slow1", "fast", "slow2");
    }

    @Test
    void queuedPutRunsOnTheSameThreadWhenThePoolIsFull() {
        for (int i = 0; i < 4; i++) {
            put(SLOW, "slow" + i);
        }
        room = 0;
        step();
        assertThat(ran).containsExactly("slow0", "slow1", "slow2", "slow3");
        step();
        assertThat(ran).hasSize(4);
    }

    @Test
    void refusedPutDoesNotRunAndTakesNoPlace() {
        room = 0;
        assertThatThrownBy(() -> put(SLOW, "refused")).isInstanceOf(RejectedExecutionException.class);
        room = Integer.MAX_VALUE;
        put(SLOW, "first");
        put(SLOW, "second");
        assertThat(pool).hasSize(2);
        step();
        step();
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void throwingOrWithdrawnPutFreesItsPlace() {
        lanes.execute(SLOW, () -> {
            throw new OutOfMemoryError("on purpose");
        });
        Runnable unwanted = () -> ran.add("unwanted");
        put(SLOW, "one");
        lanes.execute(SLOW, unwanted);
        lanes.remove(SLOW, unwanted);
        put(SLOW, "two");
        while (!pool.isEmpty()) {
            step();
        }
        assertThat(ran).containsExactly("one", "two");
        put(SLOW, "three");
        put(SLOW, "four");
        assertThat(pool).hasSize(2);
    }

    @Test
    void arrivingChunksTakeHalfOfALaneAndOfThePool() {
        assertThat(arriving(SLOW, "first")).isTrue();
        assertThat(arriving(SLOW, "second")).isFalse();
        assertThat(arriving(FAST, "fast")).isTrue();
        assertThat(arriving(new StoreId("third"), "third")).isFalse();
        put(SLOW, "whole");
        put(SLOW, "later");
        assertThat(pool).hasSize(3);
        step();
        assertThat(arriving(SLOW, "no place")).isFalse();
        while (!pool.isEmpty()) {
            step();
        }
        assertThat(ran).containsExactly("first", "fast", "whole", "later");
        assertThat(arriving(SLOW, "again")).isTrue();
    }

    @Test
    void arrivingChunkDoesNotWaitForAPlace() {
        put(SLOW, "one");
        put(SLOW, "two");
        assertThat(arriving(SLOW, "no place")).isFalse();
        room = 2;
        assertThat(arriving(FAST, "no thread")).isFalse();
        while (!pool.isEmpty()) {
            step();
        }
        assertThat(ran).containsExactly("one", "two");
        assertThat(arriving(FAST, "now")).isTrue();
    }

    private boolean arriving(StoreId store, String name) {
        return lanes.beginArriving(store, () -> ran.add(name));
    }
}
