package io.cloudmw.coordinator.upkeep;

import static io.cloudmw.coordinator.upkeep.Samples.bucket;
import static io.cloudmw.coordinator.upkeep.Samples.copy;
import static io.cloudmw.coordinator.upkeep.Samples.disk;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.upkeep.Task;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WorkQueueTest {
    private static final HelperId A = new HelperId("a");
    private static final HelperId B = new HelperId("b");
    private static final Duration LIFE = Duration.ofSeconds(60);

    private final FakeTicker ticker = new FakeTicker();
    private final WorkQueue queue = new WorkQueue(ticker, LIFE.toNanos(), 7);

    private List<Task> taken(HelperId helper, int room) {
        return queue.take(helper, room).stream().map(WorkQueue.Given::task).toList();
    }

    @Test
    void theFewerGoodCopiesTheSooner() {
        Task two = copy(bucket("s"), 2);
        Task one = copy(bucket("s"), 1);
        Task second = copy(bucket("s"), 2);
        List.of(two, one, second).forEach(queue::offer);
        assertThat(taken(A, 10)).containsExactly(one, two, second);
    }

    @Test
    void aDisksOwnerDoesWhatIsDoneToItAndAnybodyWhatIsDoneToABucket() {
        Task own = copy(disk("a"), 1);
        Task any = copy(bucket("s"), 1);
        queue.offer(own);
        queue.offer(any);
        assertThat(taken(B, 10)).containsExactly(any);
        assertThat(taken(A, 10)).containsExactly(own);
    }

    @Test
    void aHelperGetsOnlyWhatItCanDoAndWhatNobodyCanDoIsDropped() {
        Task task = copy(bucket("s"), 1);
        queue.offer(task);
        assertThat(queue.take(A, 10, able -> false)).isEmpty();
        assertThat(queue.expire(helper -> true, possible -> true)).isZero();
        assertThat(queue.waiting()).isEqualTo(1);
        assertThat(queue.expire(helper -> true, possible -> false)).isZero();
        assertThat(queue.waiting()).isZero();
        assertThat(queue.offer(task)).as("to be found again").isTrue();
        assertThat(taken(B, 10)).containsExactly(task);
    }

    @Test
    void nobodyHasATaskThatAnotherHas() {
        queue.offer(copy(bucket("s"), 1));
        assertThat(taken(A, 10)).hasSize(1);
        assertThat(taken(B, 10)).isEmpty();
        assertThat(queue.given()).isEqualTo(1);
    }

    @Test
    void twoTasksAboutOneCopyAreOne() {
        Task task = copy(bucket("s"), 1);
        assertThat(queue.offer(task)).isTrue();
        assertThat(queue.offer(task)).isTrue();
        long number = queue.take(A, 1).get(0).number();
        assertThat(queue.offer(task)).isTrue();
        assertThat(queue.waiting()).isZero();
        queue.done(number);
        queue.offer(task);
        assertThat(queue.waiting()).isEqualTo(1);
    }

    @Test
    void noMoreIsGivenThanThereIsRoomFor() {
        for (int i = 0; i < 2 * WorkQueue.MAX_GIVEN; i++) {
            queue.offer(copy(bucket("s"), 1));
        }
        assertThat(taken(A, 3)).hasSize(3);
        assertThat(taken(A, 0)).isEmpty();
        assertThat(taken(A, 1000)).hasSize(WorkQueue.MAX_GIVEN);
    }

    @Test
    void whatFailedIsGivenAgainAfterAPauseAFewTimes() {
        queue.offer(copy(bucket("s"), 1));
        long pause = WorkQueue.FIRST_PAUSE_NANOS;
        for (int tried = 1; tried < WorkQueue.MAX_TRIES; tried++) {
            assertThat(queue.failed(queue.take(A, 1).get(0).number())).isTrue();
            ticker.advance(Duration.ofNanos(pause - 1));
            assertThat(taken(B, 1)).isEmpty();
            ticker.advance(Duration.ofNanos(1));
            pause *= 2;
        }
        assertThat(queue.failed(queue.take(B, 1).get(0).number())).isFalse();
        assertThat(queue.waiting() + queue.given()).isZero();
    }

    @Test
    void whatTakesTooLongIsGivenToAnotherAndItsResultIsNobodys() {
        queue.offer(copy(bucket("s"), 1));
        WorkQueue.Given first = queue.take(A, 1).get(0);
        assertThat(first.lifeNanos()).isEqualTo(LIFE.toNanos());
        ticker.advance(LIFE.minusNanos(1));
        queue.expire(helper -> true);
        assertThat(queue.given()).isEqualTo(1);
        ticker.advance(Duration.ofNanos(1));
        queue.expire(helper -> true);
        ticker.advance(Duration.ofSeconds(2));
        WorkQueue.Given second = queue.take(B, 1).get(0);
        assertThat(second.task()).isEqualTo(first.task());
        assertThat(queue.find(A, first.number())).isEmpty();
        queue.done(first.number());
        assertThat(queue.find(A, second.number())).as("given to another").isEmpty();
        assertThat(queue.find(B, second.number())).contains(second.task());
    }

    @Test
    void whatADeadHelperHadIsGivenToAnotherAtOnce() {
        queue.offer(copy(bucket("s"), 1));
        queue.take(A, 1);
        queue.expire(helper -> !helper.equals(A));
        ticker.advance(Duration.ofNanos(WorkQueue.FIRST_PAUSE_NANOS));
        assertThat(taken(B, 1)).hasSize(1);
    }

    @Test
    void whatWaitsForADeadOwnerIsDropped() {
        queue.offer(copy(disk("a"), 1));
        queue.offer(copy(disk("b"), 1));
        queue.expire(helper -> helper.equals(B));
        assertThat(queue.waiting()).isEqualTo(1);
    }

    @Test
    void whenItIsFullTheMoreUrgentTakesThePlaceOfTheLess() {
        for (int i = 0; i < WorkQueue.MAX_TASKS; i++) {
            assertThat(queue.offer(copy(bucket("s"), 2))).isTrue();
        }
        assertThat(queue.offer(copy(bucket("s"), 2))).isFalse();
        Task urgent = copy(bucket("s"), 1);
        assertThat(queue.offer(urgent)).isTrue();
        assertThat(queue.waiting()).isEqualTo(WorkQueue.MAX_TASKS);
        assertThat(taken(A, 1)).containsExactly(urgent);
    }
}
