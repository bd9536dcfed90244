package io.cloudmw.coordinator.upkeep.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.upkeep.UpkeepSamples;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class UpkeepOptionsTest {
    /**
     * The time includes a minute for the task, one for the other clock, 15 minutes for a signature, and ten for its
     * clock.
     */
    @Test
    void deletionFromABucketIsOverWhenTheBucketRefusesItsSignature() {
        UpkeepOptions options = UpkeepOptions.defaults();
        Store bucket = new Store(new StoreId("b"), "z", new Store.S3("b", "eu-west-1", "", false, ""));
        assertThat(options.deletesEndAfter(UpkeepSamples.disk("d"))).isEqualTo(Duration.ofMinutes(2));
        assertThat(options.deletesEndAfter(bucket)).isEqualTo(Duration.ofMinutes(2 + 15 + 10));
    }
}
