package io.cloudmw.coordinator.upkeep;

import static io.cloudmw.coordinator.upkeep.UpkeepSamples.disk;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.StorelessFleet;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class UpkeepTermTest {
    private static final Duration LIFE = UpkeepOptions.defaults().taskLife();

    /** The time of a call of a distant and busy catalog. */
    private static final Duration A_CALL = Duration.ofMillis(20);

    /** A lease is renewed when half of its thirty seconds have passed. */
    private static final Duration MOST_TICK = Duration.ofSeconds(5);

    /** A helper waits for ten seconds. */
    private static final Duration MOST_ANSWER = Duration.ofSeconds(5);

    private final FakeTicker ticker = new FakeTicker();
    private final InMemoryCatalog catalog = new InMemoryCatalog();
    private final Chunk chunk = UpkeepSamples.chunk("a");
    private final Store store = disk("a");
    private final HelperId owner = new HelperId("a");

    /** The copy was planned before the deletion was ordered, and waited for room in the queue. */
    @Test
    void plannedCopyIsNotMadeWhereADeletionWasOrderedSince() throws CloudMwException {
        Lease lease = catalog.leases()
                .acquire(UpkeepLease.JOB, "test", Duration.ofDays(1), 0)
                .orElseThrow();
        catalog.touch(chunk.id().version(), 0);
        assertThat(catalog.retireAbandoned(lease, 1, 1)).isOne();
        catalog.settle(lease, List.of(UpkeepSamples.record(chunk, "a", ReplicaState.DROPPED)));
        UpkeepTerm term =
                new UpkeepTerm(lease, catalog, UpkeepOptions.defaults(), Duration.ofSeconds(1), 0, ticker, () -> 0);
        Task.Copy copy = new Task.Copy(chunk, store, UpkeepSamples.FILE, List.of(), 1);

        assertThat(term.queue().offer(new Task.Delete(store, List.of(chunk.id()))))
                .isTrue();
        TaskQueue.Assignment delete = term.assign(owner, 1, task -> true).get(0);
        term.queue().done(delete.number());
        assertThat(term.queue().offer(copy)).isTrue();
        assertThat(term.assign(owner, 1, task -> true)).isEmpty();
        assertThat(term.queue().contains(Task.copy(chunk.id(), id("a"))))
                .as("it is to be planned again")
                .isFalse();

        ticker.advance(LIFE.multipliedBy(2));
        term.collector().look(UpkeepSamples.stores());
        assertThat(term.queue().offer(copy)).isTrue();
        assertThat(term.assign(owner, 1, task -> true))
                .extracting(TaskQueue.Assignment::task)
                .containsExactly(copy);
    }

    /**
     * Otherwise another coordinator would take the lease and begin again, and helpers would time out. Each copy is of
     * another file.
     */
    @Test
    void collectionOfAThousandCopiesLeavesTimeForTheLeaseAndHelpers() throws CloudMwException {
        Catalog slow = slow(catalog);
        Lease lease = catalog.leases()
                .acquire(UpkeepLease.JOB, "test", Duration.ofDays(1), 0)
                .orElseThrow();
        TreeSet<ChunkId> there = new TreeSet<>(Comparator.comparing(ChunkId::toString));
        for (int i = 0; i < Task.Survey.PAGE; i++) {
            VersionId version = VersionId.random();
            catalog.touch(version, 0);
            there.add(new ChunkId(version, 0));
        }
        assertThat(catalog.retireAbandoned(() -> lease, 1, 1)).isEqualTo(Task.Survey.PAGE);
        UpkeepTerm term = new UpkeepTerm(
                lease,
                slow,
                UpkeepOptions.defaults(),
                Duration.ofSeconds(1),
                1,
                ticker,
                () -> TimeUnit.NANOSECONDS.toMillis(ticker.nanos()));
        for (int round = 1; round <= 3; round++) {
            assertThat(term.collector().order(UUID.randomUUID(), false)).isEqualTo(round);
            for (int i = 0; i < 1000 && term.collector().progress().rounds() < round; i++) {
                within(
                        MOST_TICK,
                        () -> term.tick(UpkeepSamples.stores(UpkeepSamples.up(store)), new StorelessFleet(true)));
                List<TaskQueue.Assignment> given = new ArrayList<>();
                within(MOST_ANSWER, () -> given.addAll(term.assign(owner, TaskQueue.MAX_ASSIGNED, task -> true)));
                for (TaskQueue.Assignment one : given) {
                    term.record(owner, done(one, there));
                }
            }
            assertThat(term.collector().progress().rounds()).isEqualTo(round);
        }
        assertThat(there).isEmpty();
        assertThat(catalog.retired("", 1).items()).isEmpty();
    }

    private interface Work {
        void run() throws CloudMwException;
    }

    private void within(Duration longest, Work work) throws CloudMwException {
        long began = ticker.nanos();
        work.run();
        assertThat(Duration.ofNanos(ticker.nanos() - began)).isLessThan(longest);
    }

    private static TaskResult done(TaskQueue.Assignment given, NavigableSet<ChunkId> there) {
        Page<StoredChunk> page = new Page<>(List.of(), "");
        if (given.task() instanceof Task.Delete delete) {
            delete.chunks().forEach(there::remove);
        } else {
            page = new Page<>(
                    there.stream().map(chunk -> new StoredChunk(chunk, 1)).toList(), "");
        }
        return new TaskResult(given.number(), Optional.empty(), "", 0, List.of(), Optional.empty(), page);
    }

    /** Returns the same catalog with slow calls. */
    private Catalog slow(Catalog fast) {
        return (Catalog) Proxy.newProxyInstance(
                Catalog.class.getClassLoader(), new Class<?>[] {Catalog.class}, (proxy, method, arguments) -> {
                    ticker.advance(A_CALL);
                    try {
                        return method.invoke(fast, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
