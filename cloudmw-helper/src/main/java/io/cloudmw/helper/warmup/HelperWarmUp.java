package io.cloudmw.helper.warmup;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.store.MeteredChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.trace.Telemetry;
import io.cloudmw.helper.LoopbackHelper;
import io.cloudmw.helper.config.HelperConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.IntFunction;

/**
 * The warm-up of a helper. A helper on loopback reads blocks from a stand-in for a bucket and sends them to a reader in
 * this process; it also takes chunks and writes them to the bucket. A switch fills a cache of its own and serves from
 * it.
 */
public final class HelperWarmUp {
    private static final Duration TOKENS = Duration.ofHours(1);
    private static final int BLOCK_BYTES = 8 << 20;
    private static final int SHARED_BYTES = (int) ModePolicy.SWITCHED_BLOCK_BYTES;
    private static final int WRITE_BYTES = 8 << 20;
    private static final long CACHE_BYTES = 128L << 20;

    private static final int CACHED_PASSES = 3;

    /** Blocks in flight. */
    private static final int WINDOW = 4;

    private final HelperConfig config;
    private final WarmUpBudget budget;

    private HelperWarmUp(HelperConfig config, WarmUpBudget budget) {
        this.config = config;
        this.budget = budget;
    }

    /**
     * Moves bytes until the budget is used up.
     *
     * @param config the configuration of the helper that is to start
     * @param directory an empty directory, which the caller deletes
     * @throws CloudMwException when a part cannot be opened
     */
    public static void run(HelperConfig config, Path directory, WarmUpBudget budget)
            throws IOException, InterruptedException {
        new HelperWarmUp(config, budget).run(directory);
    }

    private boolean isSwitch() {
        return !config.switching().volumes().equals(VolumeSet.NONE);
    }

    private void run(Path directory) throws IOException, InterruptedException {
        ClusterSecret secret = ClusterSecret.of(new byte[32]);
        WallClock clock = WallClock.system();
        ExecutorService threads = Threads.unbounded("warm-up", 2);
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (LoopbackBucket bucket = new LoopbackBucket(SampleChunk.only());
                S3Stores s3 = S3Stores.open(S3Settings.DEFAULT, "warm-up", "warm-up");
                LoopbackHelper helper = LoopbackHelper.start(
                        loopback(directory),
                        secret,
                        store -> new MeteredChunkStore(s3.open(store), meters, Ticker.system()),
                        Telemetry.of(meters));
                LoopbackReader reader = new LoopbackReader(
                        helper,
                        bucket.store(),
                        new TransferTokens(secret, clock)
                                .issue(new TransferClaims(
                                        Set.of(TransferRight.READ, TransferRight.WRITE),
                                        SampleChunk.FILE,
                                        SampleChunk.only().version(),
                                        clock.millis() + TOKENS.toMillis())),
                        threads)) {
            if (budget.step(0, reader::connected)) {
                reader.begin();
                rounds(reader, bucket.store().id());
            }
        } finally {
            meters.close();
            threads.shutdownNow();
        }
    }

    /** The configuration of the helper on loopback: limits as configured, addresses and directories of its own. */
    private HelperConfig loopback(Path directory) throws CloudMwException {
        Map<String, String> settings = new HashMap<>(Map.of(
                "helper.id", "warm-up",
                "tls.insecure", "true",
                "helper.coordinator", "127.0.0.1:1",
                "helper.control.listen", "127.0.0.1:0",
                "helper.bulk.listen", "127.0.0.1:0",
                "helper.spool.dir", directory.resolve("spool").toString()));
        HelperConfig.BufferLimits buffers = config.limits().buffers();
        settings.put("helper.memory.limit", buffers.memoryBytes() + "B");
        settings.put("helper.memory.block-limit", buffers.memoryBlockBytes() + "B");
        if (isSwitch()) {
            settings.put("helper.switch.volumes", "*");
            settings.put(
                    "helper.cache.memory",
                    Math.min(CACHE_BYTES, config.switching().memoryBytes()) + "B");
            if (config.switching().disk().isPresent()) {
                settings.put("helper.cache.disk.dir", directory.resolve("cache").toString());
                settings.put("helper.cache.disk.limit", CACHE_BYTES + "B");
            }
        }
        return HelperConfig.read(Settings.of(settings));
    }

    private void rounds(LoopbackReader reader, StoreId store) throws InterruptedException {
        SampleChunk content = SampleChunk.only();
        int round = 0;
        boolean goesOn = true;
        while (goesOn) {
            int first = round * WINDOW;
            goesOn = window(BLOCK_BYTES, i -> reader.issue(content.block(first + i, BLOCK_BYTES, store)));
            // The first time from the bucket, then from the cache.
            for (int pass = 0; goesOn && isSwitch() && pass < CACHED_PASSES; pass++) {
                goesOn = window(SHARED_BYTES, i -> reader.share(content.block(first + i, SHARED_BYTES, store)));
            }
            int chunk = round;
            goesOn = goesOn && budget.step(WRITE_BYTES, () -> reader.write(chunk, WRITE_BYTES));
            round++;
        }
    }

    /** Moves a window of blocks; returns false when the budget is used up, or a block failed. */
    private boolean window(long blockBytes, IntFunction<CompletableFuture<Void>> mover) throws InterruptedException {
        return budget.step(WINDOW * blockBytes, () -> {
            List<CompletableFuture<Void>> moved = new ArrayList<>();
            for (int i = 0; i < WINDOW; i++) {
                moved.add(mover.apply(i));
            }
            return CompletableFuture.allOf(moved.toArray(new CompletableFuture<?>[0]));
        });
    }
}
