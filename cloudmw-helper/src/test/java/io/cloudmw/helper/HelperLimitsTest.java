package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.helper.testing.StallingStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests of a helper's limits: uploads, copies for other helpers, and reads do not delay each other. */
@Timeout(60)
final class HelperLimitsTest {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path directory;

    private static WriteResult write(ScriptedClient client, int to, int index, List<Store> stores) throws Exception {
        byte[] chunk = new byte[MIB];
        return client.upload(to, index, chunk, ScriptedClient.crcs(chunk), stores, stores.size())
                .get(20, TimeUnit.SECONDS);
    }

    private static void refused(CompletableFuture<?> call, String message) {
        assertThat(call)
                .failsWithin(20, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining(message)
                .isInstanceOfSatisfying(CloudMwException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED);
                    assertThat(e.retryAfter()).isPresent();
                });
    }

    @Test
    void copiesHaveRoomWhenUploadsHaveFilledTheirShareOfTheSpool() throws Exception {
        Map<String, String> small = Map.of("helper.uploads.spool", "1MiB", "helper.store.threads", "1");
        try (HelperCluster cluster = new HelperCluster(directory, small, -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            CompletableFuture<WriteResult> held = client.hold(0, 0, MIB, cluster.stores());
            CompletableFuture<WriteResult> waits =
                    client.upload(0, 1, new byte[MIB], ScriptedClient.crcs(new byte[MIB]), cluster.stores(), 2);
            assertThat(write(client, 0, 2, cluster.stores().subList(0, 1)).owed())
                    .isEmpty();
            assertThat(write(client, 1, 3, cluster.stores()).stored()).hasSize(2);
            refused(waits, "no room for " + MIB + " bytes");
            assertThat(held).isNotDone();
        }
    }

    @Test
    void uploadsHaveRoomWhenCopiesHaveFilledTheirShareOfTheSpool() throws Exception {
        Map<String, String> small = Map.of("helper.copies.spool", "1MiB", "helper.store.threads", "1");
        try (HelperCluster cluster = new HelperCluster(directory, small, -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            CompletableFuture<WriteResult> held =
                    client.hold(0, 0, MIB, cluster.stores().subList(0, 1));
            assertThat(write(client, 0, 1, cluster.stores()).stored()).hasSize(2);
            assertThat(held).isNotDone();
        }
    }

    @Test
    void uploadsAndCopiesBeyondTheirLimitsAreRefused() throws Exception {
        Map<String, String> one = Map.of("helper.uploads.limit", "1", "helper.copies.limit", "1");
        try (HelperCluster cluster = new HelperCluster(directory, one, -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = new byte[10];
            List<Store> own = cluster.stores().subList(0, 1);
            var unusedUpload = client.hold(0, 0, MIB, cluster.stores());
            refused(
                    client.upload(0, 1, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 2),
                    "1 uploads at once already");
            var unusedCopy = client.hold(0, 2, MIB, own);
            refused(client.upload(0, 3, chunk, ScriptedClient.crcs(chunk), own, 1), "1 copies at once already");
            client.dropBulk(0);
            try (ScriptedClient another = new ScriptedClient(cluster)) {
                await().ignoreExceptions()
                        .until(() -> write(another, 0, 4, own).stored().size() == 1);
            }
        }
    }

    @Test
    void silentWriterLosesItsPlaceToAnother() throws Exception {
        Map<String, String> one = Map.of("helper.uploads.limit", "1", "helper.uploads.silence", "100ms");
        try (HelperCluster cluster = new HelperCluster(directory, one, -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            assertThat(client.hold(0, 0, MIB, cluster.stores()))
                    .failsWithin(20, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .withMessageContaining("sent nothing for 100 ms, after 0 of")
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
            await().ignoreExceptions()
                    .until(() -> write(client, 0, 1, cluster.stores()).stored().size() == 2);
        }
    }

    /**
     * Writes more chunks than the limits of uploads and late copies; all succeed without a retry.
     *
     * @param to index of the helper that receives them
     */
    private static void writeMany(ScriptedClient client, HelperCluster cluster, int to) throws Exception {
        byte[] chunk = new byte[MIB];
        for (int index = 0; index < 12; index++) {
            WriteResult result = client.upload(to, index, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 2)
                    .get(20, TimeUnit.SECONDS);
            assertThat(result.stored()).extracting("value").containsExactlyInAnyOrder("d0", "d1");
            assertThat(result.owed()).extracting("value").containsExactly("d2");
        }
    }

    private static Map<String, String> narrow() {
        return Map.of(
                "helper.uploads.limit",
                "2",
                "helper.uploads.spool",
                "2MiB",
                "helper.late.limit",
                "2",
                "helper.late.spool",
                "1MiB",
                "helper.store.threads",
                "4");
    }

    /** A retry, as at a store that does not answer, would take longer than this wait. */
    @Test
    void writeToADetachedDiskFailsAtOnce() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            HelperId owner = cluster.addresses().get(0).id();
            Store gone = new Store(new StoreId("d9"), "d9", new Store.Disk(owner, directory.resolve("d9")));
            byte[] chunk = new byte[10];
            assertThat(client.upload(0, 0, chunk, ScriptedClient.crcs(chunk), List.of(gone), 1))
                    .failsWithin(20, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .withMessageContaining("store=d9: not attached to helper h0");
        }
    }

    /** The spool has no room for a chunk of this size, but the writer is refused before that matters. */
    @Test
    void chunkWithoutAReachableStoreIsRefusedBeforeItIsSent() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of("helper.uploads.spool", "1MiB"), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            Store gone = new Store(
                    new StoreId("d9"),
                    "d9",
                    new Store.Disk(cluster.addresses().get(0).id(), directory.resolve("d9")));
            byte[] chunk = new byte[2 * MIB];
            List<Store> stores = List.of(cluster.stores().get(0), gone);
            assertThat(client.upload(0, 0, chunk, ScriptedClient.crcs(chunk), stores, 2))
                    .failsWithin(20, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .withMessageContaining(
                            "1 of the 2 stores chosen for it can take it (expected: >= 2, the write quorum);"
                                    + " d9: STORE_UNAVAILABLE");
        }
    }

    /** The number of stores does not matter: one store is the same. */
    @Test
    void writeFailsAsDeniedWhenAllStoresRefuseTheCredentials() throws Exception {
        Store first = bucket("b1", "refusing");
        Store second = bucket("b2", "refusing");
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            Store disk = cluster.stores().get(0);
            assertThat(failure(client, 0, List.of(first, second), 2)).isEqualTo(ErrorCode.STORE_DENIED);
            assertThat(failure(client, 1, List.of(disk, second), 2)).isEqualTo(ErrorCode.STORE_DENIED);
            assertThat(failure(client, 2, List.of(first), 1)).isEqualTo(ErrorCode.STORE_DENIED);
        }
    }

    private static Store bucket(String id, String domain) {
        return new Store(new StoreId(id), domain, new Store.S3("bucket", "us-east-1", "", true, ""));
    }

    /** Returns the code of a failed upload, whose message names a store that refused. */
    private static ErrorCode failure(ScriptedClient client, int index, List<Store> stores, int quorum)
            throws Exception {
        byte[] chunk = new byte[10];
        try {
            client.upload(0, index, chunk, ScriptedClient.crcs(chunk), stores, quorum)
                    .get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            CloudMwException why = (CloudMwException) Reasons.unwrapped(e);
            assertThat(why).hasMessageContaining("no S3 here");
            return why.code();
        }
        throw new AssertionError("chunk " + index + " was stored");
    }

    /**
     * Waiting for the owner, as when the quorum does not need it, would take longer than this wait.
     */
    @Test
    void writeFailsAtOnceWhenTheQuorumNeedsADiskWhoseOwnerIsDown() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of("helper.uploads.spool", "1MiB"), -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            cluster.helpers.get(1).close();
            for (int index = 0; index < 3; index++) {
                // Without room, later chunks would be refused before they are sent.
                byte[] chunk = new byte[index == 0 ? MIB : 2 * MIB];
                assertThat(client.upload(0, index, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 2))
                        .failsWithin(20, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .havingCause()
                        .withMessageContaining("helper h1 at ")
                        .isInstanceOfSatisfying(CloudMwException.class, e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.QUORUM_NOT_MET);
                            assertThat(e.retryAfter())
                                    .as("another placement may help")
                                    .isPresent();
                        });
            }
        }
    }

    /** The warning is logged once, not for each chunk. */
    @Test
    void unreachableStoreDelaysNoUploads() throws Exception {
        Logger log = (Logger) LoggerFactory.getLogger("io.cloudmw.helper.serve.ChunkReplication");
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        log.addAppender(said);
        try (HelperCluster cluster = new HelperCluster(directory, narrow(), -1, -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            cluster.helpers.get(2).close();
            writeMany(client, cluster, 0);
        } finally {
            log.detachAppender(said);
        }
        assertThat(said.list.stream().filter(event -> event.getLevel() == Level.WARN))
                .singleElement()
                .asString()
                .contains("store=d2");
    }

    @Test
    void slowStoreDelaysNoUploads() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, narrow(), -1, -1, StallingStore.PUTS);
                ScriptedClient client = new ScriptedClient(cluster)) {
            writeMany(client, cluster, 0);
        }
    }

    @Test
    void slowOwnDiskDelaysNoUploads() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, narrow(), -1, -1, StallingStore.PUTS);
                ScriptedClient client = new ScriptedClient(cluster)) {
            writeMany(client, cluster, 2);
        }
    }

    @Test
    void clientGetsAtMostHalfOfTheReads() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of("helper.reads.limit", "4"), -1);
                ScriptedClient greedy = new ScriptedClient(cluster);
                ScriptedClient other = new ScriptedClient(cluster)) {
            Store disk = cluster.stores().get(0);
            write(greedy, 0, 0, List.of(disk));
            for (int held = 0; held < 2; held++) {
                greedy.read(0, 0, disk, MIB, 1).first.get(20, TimeUnit.SECONDS);
            }
            refused(greedy.read(0, 0, disk, MIB, MIB).result, "2 of 4 reads at once are this client's already");
            assertThat(other.read(0, 0, disk, MIB, MIB).result.get(20, TimeUnit.SECONDS))
                    .hasSize(MIB);
        }
    }

    @Test
    void idleReaderLosesItsPlaceToAnother() throws Exception {
        Map<String, String> one = Map.of("helper.reads.limit", "1", "helper.reads.silence", "100ms");
        try (HelperCluster cluster = new HelperCluster(directory, one, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            Store disk = cluster.stores().get(0);
            write(client, 0, 0, List.of(disk));
            assertThat(client.read(0, 0, disk, MIB, 1).result)
                    .failsWithin(20, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .withMessageContaining("took nothing for 100 ms, after 1 of " + MIB + " bytes")
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
            await().ignoreExceptions()
                    .until(() -> client.read(0, 0, disk, MIB, MIB).result.get(20, TimeUnit.SECONDS).length == MIB);
        }
    }

    @Test
    void readsBeyondTheLimitAreRefusedUntilOneEnds() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of("helper.reads.limit", "1"), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            Store disk = cluster.stores().get(0);
            write(client, 0, 0, List.of(disk));
            ScriptedClient.Reading held = client.read(0, 0, disk, MIB, 1);
            held.first.get(20, TimeUnit.SECONDS);
            CompletableFuture<byte[]> another = client.read(0, 0, disk, MIB, MIB).result;
            refused(another, "1 reads at once already");
            assertThat(another)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            CloudMwException.class,
                            e -> assertThat(e.retryAfter()).isPresent());
            client.dropBulk(0);
            try (ScriptedClient other = new ScriptedClient(cluster)) {
                await().ignoreExceptions()
                        .until(() -> other.read(0, 0, disk, MIB, MIB).result.get(20, TimeUnit.SECONDS).length == MIB);
            }
        }
    }
}
