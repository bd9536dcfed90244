package io.cloudmw.coordinator.upkeep.stores;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.coordinator.upkeep.UpkeepSamples;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests that a bucket is lost when it was missing for long enough, whatever other faults it had before. */
final class StoreWatchTest {
    private static final Store BUCKET = UpkeepSamples.bucket("b");
    private static final Duration LOST_AFTER = Duration.ofMinutes(15);

    private final FakeTicker ticker = new FakeTicker();
    private final OneBucket fleet = new OneBucket();
    private final StoreWatch watch =
            new StoreWatch(fleet, new DrainedStores(new InMemoryCatalog(), () -> 0), ticker, LOST_AFTER);

    /** A fleet with one bucket in a given condition. */
    private static final class OneBucket implements UpkeepFleet {
        private boolean available;
        private boolean missing;

        @Override
        public List<StoreCandidate> stores() {
            return List.of(new StoreCandidate(BUCKET, "", 1));
        }

        @Override
        public long roomBytes(StoreCandidate store) {
            return Long.MAX_VALUE;
        }

        @Override
        public long reserveBytes(StoreCandidate store) {
            return 0;
        }

        @Override
        public boolean isAvailable(StoreCandidate store) {
            return available;
        }

        @Override
        public boolean canBeLost(StoreCandidate store) {
            return missing;
        }

        @Override
        public List<HelperAddress> live() {
            return List.of();
        }

        @Override
        public boolean isAlive(HelperId helper) {
            return false;
        }
    }

    private boolean isLost() throws CloudMwException {
        return Objects.requireNonNull(watch.look().get(BUCKET.id())).lost();
    }

    private void passes(Duration time) {
        ticker.advance(time);
    }

    @Test
    void unreachableBucketIsNotLostWhenOneLookFindsItMissing() throws Exception {
        assertThat(isLost()).isFalse();
        passes(LOST_AFTER.multipliedBy(2));
        fleet.missing = true;
        assertThat(isLost()).isFalse();
        passes(LOST_AFTER.minusSeconds(1));
        assertThat(isLost()).isFalse();
        passes(Duration.ofSeconds(1));
        assertThat(isLost()).isTrue();
    }

    @Test
    void returningBucketMustBeMissingAgainForTheFullTime() throws Exception {
        fleet.missing = true;
        assertThat(isLost()).isFalse();
        passes(LOST_AFTER.minusSeconds(1));
        fleet.missing = false;
        assertThat(isLost()).isFalse();
        fleet.missing = true;
        assertThat(isLost()).isFalse();
        passes(Duration.ofSeconds(2));
        assertThat(isLost()).isFalse();
    }

    @Test
    void timeSeenByAnotherCoordinatorIsNotCounted() throws Exception {
        fleet.missing = true;
        watch.resume(Map.of(BUCKET.id(), LOST_AFTER.multipliedBy(3)));
        assertThat(isLost()).isFalse();
    }
}
