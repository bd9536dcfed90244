package io.cloudmw.coordinator.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.testing.FakeTicker;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DeletionsTest {
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
                    .acquire(Tenure.JOB, "test", Duration.ofSeconds(1), 0)
                    .orElseThrow();
        } catch (CloudMwException e) {
            throw new AssertionError(e);
        }
    }

    private UpkeepClock clock(Lease lease) {
        return new UpkeepClock(catalog, lease, ticker);
    }

    /** The next coordinator's. */
    private Deletions next() throws CloudMwException {
        Lease lease = lease();
        age = clock(lease);
        age.keep();
        Deletions deletions = new Deletions(catalog, lease, age, OPTIONS);
        assertThat(deletions.areOver(DISK)).as("before the catalog was asked").isFalse();
        deletions.begin();
        return deletions;
    }

    /** Upkeep goes on. */
    private void pass(Duration time) throws CloudMwException {
        for (long second = 0; second < time.toSeconds(); second++) {
            ticker.advance(Duration.ofSeconds(1));
            age.keep();
        }
    }

    @Test
    void whereNothingWasNotedThereMayBeSome() throws CloudMwException {
        Deletions first = next();
        pass(LIFE.minusSeconds(1));
        assertThat(first.areOver(DISK)).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(first.areOver(DISK)).isTrue();
    }

    @Test
    void whatWasSentToABucketMayComeLater() throws CloudMwException {
        Deletions first = next();
        pass(LIFE);
        assertThat(first.areOver(BUCKET)).isFalse();
        pass(OPTIONS.deletesEndAfter(BUCKET).minus(LIFE));
        assertThat(first.areOver(BUCKET)).isTrue();
    }

    @Test
    void whereNoneWereOrderedForLongNobodyWaits() throws CloudMwException {
        next();
        pass(LIFE.multipliedBy(2));
        assertThat(next().areOver(DISK)).isTrue();
    }

    @Test
    void whatWasOrderedIsWaitedForByTheNext() throws CloudMwException {
        next();
        pass(LIFE.multipliedBy(2));
        Deletions ordering = next();
        for (int i = 0; i < 5; i++) {
            ordering.order();
            pass(Duration.ofSeconds(7));
        }
        ordering.order();
        Deletions after = next();
        pass(LIFE.minusSeconds(1));
        assertThat(after.areOver(DISK)).isFalse();
        pass(Duration.ofSeconds(20));
        assertThat(after.areOver(DISK)).isTrue();
    }

    /** Upkeep's clock may be some seconds behind then. */
    @Test
    void deadCoordinatorsOnlyProlongThat() throws CloudMwException {
        next();
        pass(LIFE.multipliedBy(2));
        next().order();
        for (int i = 0; i < 10; i++) {
            ticker.advance(Duration.ofSeconds(4));
            assertThat(next().areOver(DISK)).isFalse();
        }
    }
}
