package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a helper's answer about a chunk that it has received and not stored yet. */
@Timeout(60)
final class WriteTroublesTest {
    private static final byte[] CHUNK = new byte[1000];

    @TempDir
    private Path directory;

    @Test
    void failingStoreIsNamedWithItsReasonDuringRetries() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            Store bucket = new Store(new StoreId("b1"), "b1", new Store.S3("bucket", "eu-west-1", "", false, ""));
            assertThat(client.troubles(0, 0)).isEmpty();

            CompletableFuture<WriteResult> waits =
                    client.upload(0, 0, CHUNK, ScriptedClient.crcs(CHUNK), List.of(bucket), 1);

            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> !client.troubles(0, 0).isEmpty());
            WriteObstacle trouble = client.troubles(0, 0).get(0);
            assertThat(trouble.store()).isEqualTo(bucket.id());
            assertThat(trouble.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
            assertThat(trouble.reason()).contains("no S3 here");
            assertThat(trouble.tries()).isPositive();
            assertThat(waits).isNotDone();
        }
    }
}
