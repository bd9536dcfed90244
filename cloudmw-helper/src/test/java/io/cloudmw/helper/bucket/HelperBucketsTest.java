package io.cloudmw.helper.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.store.s3.S3Settings;
import org.junit.jupiter.api.Test;

final class HelperBucketsTest {
    @Test
    void everyReaderHasAConnection() {
        assertThat(HelperBuckets.settings(1024, 32, 8).maxConnections()).isEqualTo(1024);
        assertThat(HelperBuckets.settings(1024, 32, 8).extraConnections()).isEqualTo(32);
        assertThat(HelperBuckets.settings(1024, 32, 8).warmConnections()).isEqualTo(8);
        assertThat(HelperBuckets.settings(1024, 2, 8).warmConnections())
                .as("no more than there are")
                .isEqualTo(2);
        assertThat(HelperBuckets.settings(1, 16, 4)).isEqualTo(S3Settings.DEFAULT);
    }
}
