package io.cloudmw.helper.warmup;

import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The frame of a warm-up: it bounds the work, and deletes its directory even when the process is stopped meanwhile. */
public final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    /** Limit of the bytes that a process moves before it is ready: more gains little. */
    public static final long BYTES = 256L << 20;

    /** The work of a warm-up. */
    @FunctionalInterface
    public interface Work {
        /**
         * Works until the budget is used up or the thread is interrupted.
         *
         * @param directory an empty directory
         */
        void run(Path directory, WarmUpBudget budget) throws IOException, InterruptedException;
    }

    private WarmUp() {}

    /**
     * Runs the work. Its failure is only logged, below the usual level.
     *
     * @param time longest time
     * @param bytes limit of the bytes that are moved
     */
    public static void run(Duration time, long bytes, Work work) throws InterruptedException {
        WarmUpBudget budget = new WarmUpBudget(time, bytes, Ticker.system());
        try {
            Path directory = Files.createTempDirectory("cloudmw-warm-up-");
            Thread deletion = new Thread(() -> delete(directory), "cloudmw-warm-up-end");
            Runtime.getRuntime().addShutdownHook(deletion);
            try {
                work.run(directory, budget);
            } finally {
                delete(directory);
                Runtime.getRuntime().removeShutdownHook(deletion);
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("the warm-up failed; the first requests will be slower", e);
        }
        LOG.debug("warmed up with {} MiB in {}", budget.movedBytes() >> 20, budget.elapsed());
    }

    /** Deletes a directory; what cannot be deleted stays. */
    private static void delete(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            LOG.debug("{} could not be deleted", directory, e);
        }
    }
}
