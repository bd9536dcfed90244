package io.cloudmw.coordinator.upkeep.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.coordinator.upkeep.UpkeepLease;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepClock;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.testing.FakeTicker;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DeletionFenceTest {
    private static final UpkeepOptions OPTIONS = UpkeepOptions.defaults();
    private static final Store DISK = new Store(
            new StoreId("d"),
            "domain",
            new Store.Disk(new HelperId("h"), Path.of("disk").toAbsolutePath()));
    private static final Store BUCKET =
            new Store(new StoreId("b"), "domain", new Store.S3("bucket", "eu-west-1", "", false, ""));
    private static final Duration LIFE = OPTIONS.deletesEndAfter(DISK);

    private final FakeTicker ticker = new FakeTicker();
    private final Catalog catalog = new InMemoryCatalog();
    private UpkeepClock age = clock(lease());

    private Lease lease() {
        try {
            return catalog.leases()
                    .acquire(UpkeepLease.JOB, "test", Duration.ofSeconds(1), 0)
                    .orElseThrow();
        } catch (CloudMwException e) {
            throw new AssertionError(e);
        }
    }

    private UpkeepClock clock(Lease lease) {
        return new UpkeepClock(catalog, lease, ticker);
    }

    /** Returns the fence of the next coordinator. */
    private DeletionFence next() throws CloudMwException {
        Lease lease = lease();
        age = clock(lease);
        age.keep();
        DeletionFence deletions = new DeletionFence(catalog, lease, age, OPTIONS);
        assertThat(deletions.areOver(DISK)).as("before the catalog was asked").isFalse();
        deletions.begin();
        return deletions;
    }

    /** Advances the time of upkeep. */
    private void pass(Duration time) throws CloudMwException {
        for (long second = 0; second < time.toSeconds(); second++) {
            ticker.advance(Duration.ofSeconds(1));
            age.keep();
        }
    }

    @Test
    void deletionsMayBePendingWhenNothingWasRecorded() throws CloudMwException {
        DeletionFence first = next();
        pass(LIFE.minusSeconds(1));
        assertThat(first.areOver(DISK)).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(first.areOver(DISK)).isTrue();
    }

    @Test
    void deletionSentToABucketMayHappenLater() throws CloudMwException {
        DeletionFence first = next();
        pass(LIFE);
        assertThat(first.areOver(BUCKET)).isFalse();
        pass(OPTIONS.deletesEndAfter(BUCKET).minus(LIFE));
        assertThat(first.areOver(BUCKET)).isTrue();
    }

    @Test
    void placeOfADeletedCopyWaitsForItsOwnDeletionAlone() throws CloudMwException {
        next();
        pass(LIFE.multipliedBy(2));
        DeletionFence before = next();
        before.order();
        ReplicaRecord gone = record(ReplicaState.GONE);
        ReplicaRecord dropped = record(ReplicaState.DROPPED);
        pass(LIFE.minusSeconds(1));
        before.order();
        DeletionFence after = next();
        assertThat(after.areOver(DISK, gone)).isFalse();
        pass(Duration.ofSeconds(5));
        assertThat(after.areOver(DISK, gone)).isTrue();
        assertThat(after.areOver(BUCKET, gone)).isFalse();
        assertThat(after.areOver(DISK, dropped)).isFalse();
        pass(LIFE.plusSeconds(10));
        assertThat(after.areOver(DISK, dropped)).isTrue();
    }

    /** Records the state of a copy now. */
    private ReplicaRecord record(ReplicaState state) {
        return new ReplicaRecord(new ChunkId(VersionId.random(), 0), new StoreId("any"), state, age.millis());
    }

    @Test
    void deletionsAreOverWhenNoneWereOrderedForLong() throws CloudMwException {
        next();
        pass(LIFE.multipliedBy(2));
        assertThat(next().areOver(DISK)).isTrue();
    }

    @Test
    void nextCoordinatorWaitsForOrderedDeletions() throws CloudMwException {
        next();
        pass(LIFE.multipliedBy(2));
        DeletionFence ordering = next();
        for (int i = 0; i < 5; i++) {
            ordering.order();
            pass(Duration.ofSeconds(7));
        }
        ordering.order();
        DeletionFence after = next();
        pass(LIFE.minusSeconds(1));
        assertThat(after.areOver(DISK)).isFalse();
        pass(Duration.ofSeconds(20));
        assertThat(after.areOver(DISK)).isTrue();
    }

    /** The clock of upkeep may then be some seconds behind. */
    @Test
    void deadCoordinatorsOnlyProlongTheWait() throws CloudMwException {
        next();
        pass(LIFE.multipliedBy(2));
        next().order();
        for (int i = 0; i < 10; i++) {
            ticker.advance(Duration.ofSeconds(4));
            assertThat(next().areOver(DISK)).isFalse();
        }
    }
}
