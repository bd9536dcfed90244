package io.cloudmw.client.manifest;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The manifest of a file of 1 TiB in 131,072 chunks: 1024 segments of a GiB each. */
final class ManifestReaderTest {
    private static final FilePath FILE = FilePath.parse("vol:/terabyte");
    private static final int CHUNK = 8 << 20;
    private static final long GIB = 1L << 30;

    private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
    private FakeCoordinator coordinator;
    private CoordinatorClient client;

    @BeforeEach
    void start() throws Exception {
        coordinator = new FakeCoordinator(CHUNK, 256 << 10);
        coordinator.add(new Store(new StoreId("s"), "s", new Store.Disk(new HelperId("h"), Path.of("/nowhere"))));
        coordinator.synthesize(FILE, 1024 * GIB);
        client = new CoordinatorClient(
                coordinator.address(),
                ClientCertificates.none(),
                CoordinatorTimes.of(Duration.ofSeconds(30)),
                owner,
                owner,
                Ticker.system(),
                waiting -> {});
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        coordinator.close();
        // Wait for the last answers, or the buffers that hold them leak.
        owner.submit(() -> {}).get(20, SECONDS);
        owner.shutdownNow();
    }

    @Test
    void rangeInTheMiddleFetchesTheFirstSegmentAndItsOwn() throws Exception {
        List<Long> chunks = chunks(new ByteRange(512 * GIB + 12_345, 3L * CHUNK));
        assertThat(coordinator.askedSegments()).containsExactly(0, 512);
        assertThat(chunks).containsExactly(65_536L, 65_537L, 65_538L, 65_539L);
    }

    @Test
    void rangeOverABoundaryFetchesOneSegmentMore() throws Exception {
        assertThat(chunks(new ByteRange(700 * GIB - 10, 20))).containsExactly(89_599L, 89_600L);
        assertThat(coordinator.askedSegments()).containsExactly(0, 699, 700);
        assertThat(chunks(new ByteRange(1024 * GIB - 1, 1))).containsExactly(131_071L);
        assertThat(coordinator.askedSegments()).containsExactly(0, 699, 700, 0, 1023);
    }

    /** The indexes of all chunks that a reader gives for this range. */
    private List<Long> chunks(ByteRange range) throws Exception {
        ReadPlan plan = client.planRead(FILE, Optional.empty(), Optional.empty(), Location.NONE)
                .get(30, SECONDS);
        Taker taker = new Taker(plan, range);
        owner.execute(taker);
        return taker.ended.get(30, SECONDS);
    }

    /** A consumer of chunks as they arrive, on {@code owner}. */
    private final class Taker implements Runnable {
        private final List<Long> indexes = new ArrayList<>();
        private final CompletableFuture<List<Long>> ended = new CompletableFuture<>();
        private final ManifestReader feed;

        Taker(ReadPlan plan, ByteRange range) {
            feed = new ManifestReader(client, plan, range, owner, this, ended::completeExceptionally);
        }

        @Override
        public void run() {
            for (var item = feed.poll(); item != null; item = feed.poll()) {
                indexes.add(item.chunk().chunk().index());
            }
            if (feed.isEnded()) {
                ended.complete(indexes);
            }
        }
    }
}
