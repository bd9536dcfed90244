package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.testing.store.Chunks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of puts that begin while their chunk arrives: to the disk of the helper itself, and through another helper. */
@Timeout(120)
final class ArrivingChunkTest {
    private static final int LEAVES = 100;
    private static final byte[] CHUNK = Chunks.bytes(1, LEAVES * ScriptedClient.LEAF);
    private static final int HALF = LEAVES / 2;

    @TempDir
    private Path directory;

    @Test
    void disksHaveWhatHasArrivedAndCompleteTheChunkAtItsEnd() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            List<Store> stores = cluster.stores();

            ScriptedClient.PausedUpload upload = client.pausedUpload(0, 0, CHUNK, HALF, stores);
            awaitIncoming(0, bytes -> bytes == HALF * ScriptedClient.LEAF);
            // A helper sends whole leaves to another one.
            awaitIncoming(1, bytes -> bytes > HALF * ScriptedClient.LEAF - Leaves.DEFAULT_SIZE_BYTES);
            assertThat(files("disk-0/chunks")).isEmpty();
            assertThat(files("disk-1/chunks")).isEmpty();

            WriteResult result = upload.goOn().get(60, TimeUnit.SECONDS);
            assertThat(result.owed()).isEmpty();
            for (String disk : List.of("disk-0", "disk-1")) {
                assertThat(files(disk + "/chunks"))
                        .singleElement()
                        .satisfies(file -> assertThat(file).hasBinaryContent(CHUNK));
                assertThat(files(disk + "/incoming")).isEmpty();
            }
        }
    }

    @Test
    void chunkWhoseUploadEndsEarlyIsInNoStore() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            ScriptedClient.PausedUpload upload = client.pausedUpload(0, 0, CHUNK, HALF, cluster.stores());
            awaitIncoming(0, bytes -> bytes > 0);
            awaitIncoming(1, bytes -> bytes > 0);

            upload.reset();

            awaitIncoming(0, bytes -> bytes == 0);
            awaitIncoming(1, bytes -> bytes == 0);
            assertThat(files("disk-0/chunks")).isEmpty();
            assertThat(files("disk-1/chunks")).isEmpty();
        }
    }

    @Test
    void chunkWithOtherChecksumsThanItsWritersIsInNoStore() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            int[] others = ScriptedClient.crcs(CHUNK);
            others[LEAVES - 1]++;

            assertThat(client.upload(0, 0, CHUNK, others, cluster.stores(), 1))
                    .failsWithin(60, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withMessageContaining("differ from the writer's");

            awaitIncoming(0, bytes -> bytes == 0);
            assertThat(files("disk-0/chunks")).isEmpty();
        }
    }

    @Test
    void putThatFailsWhileItsChunkArrivesIsMadeAgain() throws Exception {
        Map<String, String> oneCopyAtATime = Map.of("helper.copies.limit", "1");
        try (HelperCluster cluster = new HelperCluster(directory, oneCopyAtATime, -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            Store second = cluster.stores().get(1);
            // The other helper has no room for a copy now, so that it refuses the put of the arriving chunk.
            ScriptedClient.PausedUpload holder = client.pausedUpload(1, 1, CHUNK, HALF, List.of(second));
            awaitIncoming(1, bytes -> bytes > 0);

            ScriptedClient.PausedUpload upload = client.pausedUpload(0, 0, CHUNK, HALF, cluster.stores());
            awaitIncoming(0, bytes -> bytes == HALF * ScriptedClient.LEAF);
            holder.reset();
            awaitIncoming(1, bytes -> bytes == 0);

            assertThat(upload.goOn().get(60, TimeUnit.SECONDS).owed()).isEmpty();
            assertThat(files("disk-1/chunks"))
                    .singleElement()
                    .satisfies(file -> assertThat(file).hasBinaryContent(CHUNK));
        }
    }

    private void awaitIncoming(int disk, LongPredicate expected) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> expected.test(incomingBytes(disk)));
    }

    private long incomingBytes(int disk) {
        return files("disk-" + disk + "/incoming").stream()
                .mapToLong(ArrivingChunkTest::size)
                .sum();
    }

    private static long size(Path file) {
        try {
            return Files.exists(file) ? Files.size(file) : 0;
        } catch (IOException e) {
            return 0; // removed just now
        }
    }

    private List<Path> files(String of) {
        try (Stream<Path> files = Files.walk(directory.resolve(of))) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
