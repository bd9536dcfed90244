package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file whose manifest has several segments, and a coordinator that is away after the plan. */
@Timeout(120)
final class LongFileTest {
    private static final int LEAF = 4 << 10;
    private static final int CHUNK = 1 << 20;
    /** 4096 leaves. */
    private static final int SEGMENT = 16 << 20;

    private static final FilePath FILE = FilePath.parse("vol:/long");

    @TempDir
    private Path directory;

    private final byte[] content = new byte[2 * SEGMENT + CHUNK];
    private FakeCoordinator coordinator;
    private FakeHelper helper;

    @BeforeEach
    void put() throws Exception {
        new Random(1).nextBytes(content);
        coordinator = new FakeCoordinator(CHUNK, LEAF);
        helper = new FakeHelper("h", FakeHelper.Script.SERVE, new ConcurrentHashMap<>());
        coordinator.add(helper.address());
        coordinator.add(
                new Store(new StoreId("s"), "s", new Store.Disk(new HelperId("h"), directory.resolve("nowhere"))));
        try (CloudMw client = CloudMw.connect(coordinator.address())) {
            client.files()
                    .put(new ByteArrayInputStream(content), content.length, FILE, PutOptions.defaults())
                    .get(60, SECONDS);
        }
        assertThat(coordinator.files().values())
                .singleElement()
                .extracting(FileVersion::segmentCount)
                .isEqualTo(3);
    }

    @AfterEach
    void close() {
        helper.close();
        coordinator.close();
    }

    /** A channel that stops the coordinator at its first write. */
    private WritableByteChannel stopping(ByteArrayOutputStream out) {
        return new WritableByteChannel() {
            @Override
            public int write(ByteBuffer bytes) throws IOException {
                if (out.size() == 0) {
                    stopCoordinator();
                }
                int count = bytes.remaining();
                byte[] copy = new byte[count];
                bytes.get(copy);
                out.writeBytes(copy);
                return count;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }

    private void stopCoordinator() {
        try {
            coordinator.stop();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void readDeliversKnownChunksAndWaitsForTheRestOfTheManifest() throws Exception {
        try (CloudMw client = CloudMw.connect(coordinator.address())) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            CompletableFuture<GetReceipt> read = client.files().read(FILE, stopping(out), GetOptions.defaults());
            await().until(() -> out.size() >= SEGMENT);
            assertThat(read).isNotDone();
            coordinator.start();
            read.get(60, SECONDS);
            assertThat(out.toByteArray()).isEqualTo(content);
        }
    }

    @Test
    void lostCoordinatorFailsReadAfterCorrectBeginning() {
        try (CloudMw hasty = hasty()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            unavailable(hasty.files().read(FILE, stopping(out), GetOptions.defaults()));
            assertThat(out.size()).isBetween(1, content.length - 1);
            assertThat(out.toByteArray()).isEqualTo(Arrays.copyOf(content, out.size()));
        }
    }

    @Test
    void missingManifestLeavesNoFile() throws Exception {
        TransferListener stopping = new TransferListener() {
            @Override
            public void planned(FileVersion version, List<String> racers) {
                stopCoordinator();
            }
        };
        try (CloudMw hasty = hasty()) {
            unavailable(hasty.files()
                    .get(FILE, directory.resolve("out"), GetOptions.defaults().withListener(stopping)));
            try (var left = Files.list(directory)) {
                assertThat(left).isEmpty();
            }
        }
    }

    private CloudMw hasty() {
        return CloudMw.connect(CloudMwOptions.of(coordinator.address()).withCoordinatorTimeout(Duration.ofSeconds(3)));
    }

    private static void unavailable(CompletableFuture<?> read) {
        assertThatThrownBy(() -> read.get(60, SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE));
    }
}
