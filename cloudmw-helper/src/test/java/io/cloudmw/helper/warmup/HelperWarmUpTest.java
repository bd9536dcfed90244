package io.cloudmw.helper.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.helper.config.HelperConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of warm-ups of helpers, whose time does not pass: a step that fails ends them before all bytes are moved. */
@Timeout(120)
final class HelperWarmUpTest {
    /** A window of blocks through a transfer, and a written chunk. */
    private static final long ROUND_BYTES = (4 * 8 + 8) << 20;

    /** A window of blocks of a switch, once from the bucket and twice from the cache. */
    private static final long SWITCHED_BYTES = (3 * 4 * 4) << 20;

    @TempDir
    private Path directory;

    private WarmUpBudget warmUp(long bytes, String... more) throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of("helper.id", "h"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        WarmUpBudget budget = new WarmUpBudget(Duration.ofMinutes(1), bytes, new FakeTicker());
        HelperWarmUp.run(HelperConfig.read(Settings.of(settings)), directory, budget);
        return budget;
    }

    @Test
    void helperReadsBlocksThroughTransfersAndWritesChunks() throws Exception {
        assertThat(warmUp(2 * ROUND_BYTES).movedBytes()).isEqualTo(2 * ROUND_BYTES);
    }

    @Test
    void switchAlsoServesBlocksFromItsCacheOnDisk() throws Exception {
        long all = ROUND_BYTES + SWITCHED_BYTES;
        assertThat(warmUp(all, "helper.switch.volumes", "v", "helper.cache.disk.dir", "never-made")
                        .movedBytes())
                .isEqualTo(all);
        assertThat(directory.resolve("cache")).isNotEmptyDirectory();
        assertThat(Path.of("never-made")).doesNotExist();
    }

    @Test
    void bytesOfTheBudgetAreNotExceeded() throws Exception {
        assertThat(warmUp(ROUND_BYTES - 1).movedBytes()).isEqualTo(32 << 20);
    }
}
