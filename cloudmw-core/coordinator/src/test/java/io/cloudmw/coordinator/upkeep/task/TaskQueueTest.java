package io.cloudmw.coordinator.upkeep.task;

import static io.cloudmw.coordinator.upkeep.UpkeepSamples.bucket;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.copy;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.disk;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.upkeep.Task;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TaskQueueTest {
    private static final HelperId A = new HelperId("a");
    private static final HelperId B = new HelperId("b");
    private static final Duration LIFE = Duration.ofSeconds(60);

    private final FakeTicker ticker = new FakeTicker();
    private final TaskQueue queue = new TaskQueue(ticker, LIFE.toNanos(), 7);

    private List<Task> taken(HelperId helper, int room) {
        return queue.take(helper, room).stream().map(TaskQueue.Assignment::task).toList();
    }

    @Test
    void tasksWithFewerGoodCopiesComeFirst() {
        Task two = copy(bucket("s"), 2);
        Task one = copy(bucket("s"), 1);
        Task second = copy(bucket("s"), 2);
        List.of(two, one, second).forEach(queue::offer);
        assertThat(taken(A, 10)).containsExactly(one, two, second);
    }

    @Test
    void ownerOfADiskDoesItsTasksAndAnyHelperThoseOfABucket() {
        Task own = copy(disk("a"), 1);
        Task any = copy(bucket("s"), 1);
        queue.offer(own);
        queue.offer(any);
        assertThat(taken(B, 10)).containsExactly(any);
        assertThat(taken(A, 10)).containsExactly(own);
    }

    @Test
    void helperGetsOnlyTasksItCanDoAndImpossibleOnesAreDropped() {
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
    void taskIsAssignedToOneHelper() {
        queue.offer(copy(bucket("s"), 1));
        assertThat(taken(A, 10)).hasSize(1);
        assertThat(taken(B, 10)).isEmpty();
        assertThat(queue.assigned()).isEqualTo(1);
    }

    @Test
    void tasksAboutOneCopyAreOneTask() {
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
    void assignmentIsLimitedByTheHelpersRoom() {
        for (int i = 0; i < 2 * TaskQueue.MAX_ASSIGNED; i++) {
            queue.offer(copy(bucket("s"), 1));
        }
        assertThat(taken(A, 3)).hasSize(3);
        assertThat(taken(A, 0)).isEmpty();
        assertThat(taken(A, 1000)).hasSize(TaskQueue.MAX_ASSIGNED);
    }

    @Test
    void failedTaskIsRetriedAfterADelayAFewTimes() {
        queue.offer(copy(bucket("s"), 1));
        long pause = TaskQueue.FIRST_PAUSE_NANOS;
        for (int tried = 1; tried < TaskQueue.MAX_TRIES; tried++) {
            assertThat(queue.failed(queue.take(A, 1).get(0).number())).isTrue();
            ticker.advance(Duration.ofNanos(pause - 1));
            assertThat(taken(B, 1)).isEmpty();
            ticker.advance(Duration.ofNanos(1));
            pause *= 2;
        }
        assertThat(queue.failed(queue.take(B, 1).get(0).number())).isFalse();
        assertThat(queue.waiting() + queue.assigned()).isZero();
    }

    @Test
    void timedOutTaskIsReassignedAndItsLateResultIgnored() {
        queue.offer(copy(bucket("s"), 1));
        TaskQueue.Assignment first = queue.take(A, 1).get(0);
        assertThat(first.lifeNanos()).isEqualTo(LIFE.toNanos());
        ticker.advance(LIFE.minusNanos(1));
        queue.expire(helper -> true);
        assertThat(queue.assigned()).isEqualTo(1);
        ticker.advance(Duration.ofNanos(1));
        queue.expire(helper -> true);
        ticker.advance(Duration.ofSeconds(2));
        TaskQueue.Assignment second = queue.take(B, 1).get(0);
        assertThat(second.task()).isEqualTo(first.task());
        assertThat(queue.find(A, first.number())).isEmpty();
        queue.done(first.number());
        assertThat(queue.find(A, second.number())).as("given to another").isEmpty();
        assertThat(queue.find(B, second.number())).contains(second.task());
    }

    @Test
    void tasksOfADeadHelperAreReassignedAtOnce() {
        queue.offer(copy(bucket("s"), 1));
        queue.take(A, 1);
        queue.expire(helper -> !helper.equals(A));
        ticker.advance(Duration.ofNanos(TaskQueue.FIRST_PAUSE_NANOS));
        assertThat(taken(B, 1)).hasSize(1);
    }

    @Test
    void tasksForADeadOwnerAreDropped() {
        queue.offer(copy(disk("a"), 1));
        queue.offer(copy(disk("b"), 1));
        queue.expire(helper -> helper.equals(B));
        assertThat(queue.waiting()).isEqualTo(1);
    }

    @Test
    void fullQueueEvictsLessUrgentTasks() {
        for (int i = 0; i < TaskQueue.MAX_TASKS; i++) {
            assertThat(queue.offer(copy(bucket("s"), 2))).isTrue();
        }
        assertThat(queue.offer(copy(bucket("s"), 2))).isFalse();
        Task urgent = copy(bucket("s"), 1);
        assertThat(queue.offer(urgent)).isTrue();
        assertThat(queue.waiting()).isEqualTo(TaskQueue.MAX_TASKS);
        assertThat(taken(A, 1)).containsExactly(urgent);
    }
}
