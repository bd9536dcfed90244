package io.cloudmw.core.upkeep;

import static io.cloudmw.core.upkeep.Samples.disk;
import static io.cloudmw.core.upkeep.Samples.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.catalog.Lease;
import io.cloudmw.core.catalog.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.upkeep.task.Task;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TermTest {
    private static final Duration LIFE = UpkeepOptions.defaults().taskLife();

    private final FakeTicker ticker = new FakeTicker();
    private final InMemoryCatalog catalog = new InMemoryCatalog();
    private final Chunk chunk = Samples.chunk("a");
    private final Store store = disk("a");
    private final HelperId owner = new HelperId("a");

    /** It was planned before the deletion was ordered, and waited for room in the queue. */
    @Test
    void whereACopyWasOrderedToBeDeletedNoneIsMadeThoughThatWasPlannedBefore() throws CloudMwException {
        Lease lease = catalog.leases()
                .acquire(Tenure.JOB, "test", Duration.ofDays(1), 0)
                .orElseThrow();
        catalog.touch(chunk.id().version(), 0);
        assertThat(catalog.retireAbandoned(lease, 1, 1)).isOne();
        catalog.settle(lease, List.of(Samples.record(chunk, "a", ReplicaState.DROPPED)));
        Term term = new Term(lease, catalog, UpkeepOptions.defaults(), Duration.ofSeconds(1), 0, ticker, () -> 0);
        Task.Copy copy = new Task.Copy(chunk, store, Samples.FILE, List.of(), 1);

        assertThat(term.queue().offer(new Task.Delete(store, List.of(chunk.id()))))
                .isTrue();
        WorkQueue.Given delete = term.give(owner, 1).get(0);
        term.queue().done(delete.number());
        assertThat(term.queue().offer(copy)).isTrue();
        assertThat(term.give(owner, 1)).isEmpty();
        assertThat(term.queue().contains(Task.copy(chunk.id(), id("a"))))
                .as("it is to be planned again")
                .isFalse();

        ticker.advance(LIFE.multipliedBy(2));
        term.collector().look(Samples.stores());
        assertThat(term.queue().offer(copy)).isTrue();
        assertThat(term.give(owner, 1)).extracting(WorkQueue.Given::task).containsExactly(copy);
    }
}
