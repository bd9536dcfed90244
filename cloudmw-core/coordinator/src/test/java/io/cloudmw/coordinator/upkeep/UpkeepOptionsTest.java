package io.cloudmw.coordinator.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class UpkeepOptionsTest {
    /** A minute for the task and one for the other side's clock; a quarter of an hour for a signature, ten minutes for its clock. */
    @Test
    void aDeletionFromABucketIsOverOnlyWhenTheBucketRefusesWhatWasSignedForIt() {
        UpkeepOptions options = UpkeepOptions.defaults();
        Store bucket = new Store(new StoreId("b"), "z", new Store.S3("b", "eu-west-1", "", false, ""));
        assertThat(options.deletesEndAfter(Samples.disk("d"))).isEqualTo(Duration.ofMinutes(2));
        assertThat(options.deletesEndAfter(bucket)).isEqualTo(Duration.ofMinutes(2 + 15 + 10));
    }
}
